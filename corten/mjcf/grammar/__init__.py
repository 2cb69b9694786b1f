"""The grammar of MJCF: one declarative table of elements and attributes, by family of elements."""

from corten.mjcf.grammar.rules import Attribute, BadValue, Rule
from corten.mjcf.grammar.sections import MUJOCO

__all__ = ["MUJOCO", "Attribute", "BadValue", "Rule"]

"""Comparison with the reference engine: the library behind `corten conform` and the test-suite.

`states` makes the states, `stages` says what belongs to which stage and how close it must be, `scope` what is left out
and why, `run` puts it together.
"""

from .compare import Difference, compare, worst
from .engines import MissingReference, Refused
from .run import Report, Settings, compare_model, conform, find_models

__all__ = [
    "Difference",
    "MissingReference",
    "Refused",
    "Report",
    "Settings",
    "compare",
    "compare_model",
    "conform",
    "find_models",
    "worst",
]

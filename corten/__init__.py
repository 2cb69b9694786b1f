"""Corten: physics of articulated bodies in contact, for one world or thousands, with exact derivatives."""

from corten import derivative, utilities
from corten.batch.batch import Batch
from corten.batch.rollout import rollout
from corten.derivative import transition
from corten.engine import SimulationError, forward, inverse, reset, step, step1, step2, warmup
from corten.kernel import KernelError
from corten.mjcf.errors import MjcfError, MjcfWarning
from corten.model.data import Data
from corten.model.length_range import LengthRangeOptions, set_length_ranges
from corten.model.model import Model
from corten.model.setconst import set_const
from corten.model.state import State, get_state, set_state, state_size

__version__ = "0.1.0"

__all__ = [
    "Batch",
    "Data",
    "KernelError",
    "LengthRangeOptions",
    "MjcfError",
    "MjcfWarning",
    "Model",
    "SimulationError",
    "State",
    "derivative",
    "forward",
    "get_state",
    "inverse",
    "reset",
    "rollout",
    "set_const",
    "set_length_ranges",
    "set_state",
    "state_size",
    "step",
    "step1",
    "step2",
    "transition",
    "utilities",
    "warmup",
]

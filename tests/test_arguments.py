"""What the public functions refuse: wrong types, shapes, numbers and names, with messages that say what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import corten
from corten import utilities
from corten.model.model import ModelFileError

MODEL = """
<mujoco>
  <worldbody>
    <body name="a"><freejoint/><geom name="g" size=".1"/><site name="s"/></body>
    <body name="b" pos="1 0 0"><joint name="h"/><geom size=".1"/></body>
  </worldbody>
  <actuator><motor name="mo" joint="h" nsample="3" delay="0.004"/></actuator>
</mujoco>
"""
SMALL = "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>"
ZERO = (0, 0, 0)

Call = Callable[[corten.Model, corten.Data, corten.Data], Any]


@pytest.fixture(scope="module")
def pair() -> tuple[corten.Model, corten.Data]:
    m = corten.Model.from_xml_string(MODEL)
    return m, corten.Data(m)


@pytest.fixture(scope="module")
def other() -> corten.Data:
    return corten.Data(corten.Model.from_xml_string(SMALL))


# What is called with a model, its Data and another model's Data, and the message.
WRONG_TYPES: dict[str, Call] = {
    "the model is a NoneType, not a corten.Model": lambda m, d, o: corten.Data(None),
    "the model is a Data, not a corten.Model": lambda m, d, o: corten.Batch(d, 2),
    "the model is a list, not a corten.Model": lambda m, d, o: corten.rollout([], ZERO),
    "the model is a int, not a corten.Model": lambda m, d, o: corten.set_const(3),
    "the model is a str, not a corten.Model": lambda m, d, o: corten.transition("x", d),
    "the model is a dict, not a corten.Model": lambda m, d, o: utilities.integrate_pos({}, d.qpos, d.qvel, 1),
    "the data is a NoneType, not a corten.Data": lambda m, d, o: corten.step(m, None),
    "the data is a Model, not a corten.Data": lambda m, d, o: corten.step(m, m),
    "the data is a Batch, not a corten.Data": lambda m, d, o: corten.forward(m, corten.Batch(m, 1)),
    "the data is a list, not a corten.Data": lambda m, d, o: corten.get_state([]),
    "nstep is a float, not a whole number": lambda m, d, o: corten.step(m, d, 2.0),
    "nstep is a str, not a whole number": lambda m, d, o: corten.Batch(m, 1).step("2"),
    "worlds is a float, not a whole": lambda m, d, o: corten.Batch(m, 1.5),
    "threads is a str, not a whole": lambda m, d, o: corten.Batch(m, 2, "x"),
    "names, one argument each, not by a list": lambda m, d, o: corten.Batch(m, 1).expand(["body_mass"]),
    "body is given by its name or number, not by a float": lambda m, d, o: m.body(1.5),
    "site is given by its name or number": lambda m, d, o: utilities.jac_site(m, d, None),
    "not corten.LengthRangeOptions": lambda m, d, o: corten.set_length_ranges(m, 3),
    "the model is a int, not text": lambda m, d, o: corten.Model.from_xml_string(3),
    "asset 'x' is a int": lambda m, d, o: corten.Model.from_xml_string(SMALL, {"x": 3}),
    "'slice' object": lambda m, d, o: d.contact[0:1],
    "contiguous, writeable": lambda m, d, o: utilities.normalize_quat(m, read_only(d.qpos)),
}
WRONG_VALUES: dict[str, Call] = {
    "nstep is -1, which is less than 0": lambda m, d, o: corten.step(m, d, -1),
    "nstep is -2, which is less than 0": lambda m, d, o: corten.Batch(m, 1).step(-2),
    "number of worlds is 0, which is less than 1": lambda m, d, o: corten.Batch(m, 0),
    "number of threads is 0, which is less than 1": lambda m, d, o: corten.rollout(
        m, corten.get_state(d), nstep=1, threads=0
    ),
    "numbers of worlds in an array of shape (1, 1)": lambda m, d, o: corten.Batch(m, 1).reset([[0]]),
    "the state can not be read as numbers": lambda m, d, o: corten.set_state(d, "abc"),
    "a state of 2 numbers": lambda m, d, o: corten.set_state(d, np.zeros(2)),
    "1048576 is no sum of parts of the state": lambda m, d, o: corten.get_state(d, 1 << 20),
    "controls can not be read as numbers": lambda m, d, o: corten.rollout(m, corten.get_state(d), "abc"),
    "made for another model": lambda m, d, o: utilities.jac_site(m, o, "s"),
    "Data was made for another": lambda m, d, o: utilities.read_ctrl(m, o, "mo", 0.0),
    "was made for another model: n": lambda m, d, o: utilities.init_ctrl_history(m, o, "mo", None, ZERO),
    "interp is 7": lambda m, d, o: utilities.read_ctrl(m, d, "mo", 0.0, 7),
    "point holds 2 numbers": lambda m, d, o: utilities.jac(m, d, (0, 0), "a"),
    "axis can not be read": lambda m, d, o: utilities.jac_point_axis(m, d, ZERO, "x", "a"),
    "points of rays have shape (2,)": lambda m, d, o: utilities.ray(m, d, (0, 0), (0, 0, 1)),
    "points of rays have shape (2, 3), not (3,) or (3, 3)": lambda m, d, o: utilities.rays(
        m, d, np.zeros((2, 3)), np.ones((3, 3))
    ),
    "no kind of constraint": lambda m, d, o: utilities.constraint_force(m, d, "friction"),
}


def read_only(array: np.ndarray) -> np.ndarray:
    """A copy that must not be written to."""
    copy = array.copy()
    copy.flags.writeable = False
    return copy


@pytest.mark.parametrize(("message", "call"), WRONG_TYPES.items(), ids=list(WRONG_TYPES))
def test_a_wrong_type_is_named(message: str, call: Call, pair: Any, other: corten.Data) -> None:
    with pytest.raises(TypeError) as caught:
        call(*pair, other)
    assert message in str(caught.value)


@pytest.mark.parametrize(("message", "call"), WRONG_VALUES.items(), ids=list(WRONG_VALUES))
def test_a_wrong_value_is_named(message: str, call: Call, pair: Any, other: corten.Data) -> None:
    with pytest.raises(corten.SimulationError) as caught:
        call(*pair, other)
    assert message in str(caught.value)


def test_what_is_no_archive_is_no_model() -> None:
    """NumPy's own message would advise to unpickle it."""
    with pytest.raises(ModelFileError, match=r"^data is not a saved model$"):
        corten.Model.from_bytes(b"no archive")


def test_options_are_called_by_their_own_name(pair: Any) -> None:
    m, _ = pair
    with pytest.raises(AttributeError, match=r"opt has no field 'timstep' \(did you mean 'timestep'\?\)"):
        _ = m.opt.timstep

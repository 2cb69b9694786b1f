"""Length ranges of actuators, which muscles need: given, taken from limits, or found by simulation."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from corten.engine import check_simulated, make_room
from corten.kernel.record import SINGLE
from corten.model.checks import SimulationError, check_model
from corten.model.data import block
from corten.model.enums import BiasType, DisableBit, GainType, LengthRangeMode, TrnType
from corten.physics.length_range import FAR, pull

QUIET = (
    DisableBit.FRICTIONLOSS | DisableBit.CONTACT | DisableBit.SPRING | DisableBit.DAMPER | DisableBit.GRAVITY
    | DisableBit.ACTUATION
)  # fmt: skip


class LengthRangeError(ValueError):
    """The simulation that looks for the range of an actuator's length has failed."""

    def __init__(self, actuator: int, message: str) -> None:
        self.actuator = actuator
        super().__init__(message)


@dataclass(frozen=True)
class LengthRangeOptions:
    """Which actuators get a length range, and how it is found; the attributes of MJCF's <lengthrange>."""

    mode: int = LengthRangeMode.MUSCLE
    useexisting: int = 1
    uselimit: int = 0
    accel: float = 20.0
    maxforce: float = 0.0
    timeconst: float = 1.0
    timestep: float = 0.01
    inttotal: float = 10.0
    interval: float = 2.0
    tolrange: float = 0.05


def set_length_ranges(m: Any, options: LengthRangeOptions | None = None) -> None:
    """Set m.actuator_lengthrange of the actuators that `options` choose."""
    check_model(m)
    options = options or LengthRangeOptions()
    if not isinstance(options, LengthRangeOptions):
        raise TypeError(f"the options are a {type(options).__name__}, not corten.LengthRangeOptions")
    for i in range(m.nu):
        chosen = wanted(m, i, options)
        if chosen and not (options.useexisting and m.actuator_lengthrange[i, 0] < m.actuator_lengthrange[i, 1]):
            limits = target_limits(m, i) if options.uselimit else None
            m.actuator_lengthrange[i] = simulated_range(m, i, options) if limits is None else limits


def wanted(m: Any, i: int, options: LengthRangeOptions) -> bool:
    """Whether the mode asks for the range of actuator i."""
    kinds = (m.actuator_gaintype[i], m.actuator_biastype[i])
    muscle = kinds[0] == GainType.MUSCLE or kinds[1] == BiasType.MUSCLE
    user = kinds[0] == GainType.USER or kinds[1] == BiasType.USER
    return {
        LengthRangeMode.NONE: False,
        LengthRangeMode.MUSCLE: muscle,
        LengthRangeMode.MUSCLEUSER: muscle or user,
        LengthRangeMode.ALL: True,
    }[LengthRangeMode(options.mode)]


def target_limits(m: Any, i: int) -> np.ndarray | None:
    """The limits of the joint or tendon that actuator i acts on, if it has any.

    As in the reference, that is only so for the first actuator: of the two numbers that each actuator's target has, it
    takes the one at place i of the whole list, which is another actuator's first or second.
    """
    kind, target = m.actuator_trntype[i], m.actuator_trnid.ravel()[i]
    if target < 0 or target >= (m.ntendon if kind == TrnType.TENDON else m.njnt):
        return None
    if kind in (TrnType.JOINT, TrnType.JOINTINPARENT) and m.jnt_limited[target]:
        return np.array(m.jnt_range[target])
    if kind == TrnType.TENDON and m.tendon_limited[target]:
        return np.array(m.tendon_range[target])
    return None


def simulated_range(m: Any, i: int, options: LengthRangeOptions) -> np.ndarray:
    """Where actuator i comes to rest when it is pulled towards less and towards more length, without other forces."""
    try:
        check_simulated(m)
    except SimulationError as error:
        raise LengthRangeError(i, f"actuator {i}: needs a simulation for its length range, but {error}") from None
    saved = {f: m.array(f).copy() for f in ("opt.disableflags", "opt.timestep")}
    m.opt.disableflags = int(QUIET)
    if options.timestep > 0:
        m.opt.timestep = options.timestep
    try:
        rests = np.array([_pulled(m, i, sign * options.accel, options) for sign in (-1.0, 1.0)])
    finally:
        for name, value in saved.items():
            m.array(name)[...] = value
    low, high = rests[0, 0], rests[1, 1]
    if (rests[:, 0] > rests[:, 1]).any():
        raise LengthRangeError(i, f"actuator {i}: the simulation that looks for its length range is unstable")
    if high <= low:
        raise LengthRangeError(i, f"actuator {i}: length range ({low:g}, {high:g}) is empty")
    for rest in rests:
        if rest[1] - rest[0] > options.tolrange * (high - low):
            raise LengthRangeError(
                i,
                f"actuator {i}: the search for its length range ({low:g}, {high:g}) has not come to rest: "
                f"length still moves within ({rest[0]:g}, {rest[1]:g})",
            )
    return np.array([low, high])


def _pulled(m: Any, i: int, accel: float, options: LengthRangeOptions) -> np.ndarray:
    """The least and greatest length of actuator i at the end of a pull."""
    most, constant = float(options.maxforce), float(options.timeconst)
    total, interval = float(options.inttotal), float(options.interval)
    d, result = block(m, SINGLE), np.array([FAR, -FAR])
    pull(m, d, i, float(accel), most, constant, total, interval, result)
    while d.short:
        make_room(d)
        pull(m, d, i, float(accel), most, constant, total, interval, result)
    return result


def options_from(values: dict[str, Any]) -> LengthRangeOptions:
    """Options from the attributes of an element, defaults included."""
    return LengthRangeOptions(**{f.name: values[f.name] for f in fields(LengthRangeOptions) if f.name in values})

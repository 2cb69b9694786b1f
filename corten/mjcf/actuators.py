"""Actuators: shortcuts become general actuators, step by step through their default classes.

A default class holds the state of one general actuator, whatever shortcut wrote it; every shortcut changes some of it
and keeps the rest. So a <position> may take its gain from a class that was written with <general>.
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from corten.mjcf.defaults import Defaults, overlaid
from corten.mjcf.grammar.mechanism import GENERAL
from corten.mjcf.joints import limits
from corten.mjcf.read import Element
from corten.mjcf.sparsity import starts
from corten.mjcf.spec import Link, Settings, Spec
from corten.model.enums import BiasType, DynType, GainType, JointType, TrnType

COUNT = 10

# what a muscle starts from where its class leaves the value of a plain actuator
_MUSCLE_GAIN = (0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2)
_MUSCLE_DYNAMICS = (0.01, 0.04)
_MUSCLE_ATTRIBUTES = ("force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax")

_TARGETS = {
    "joint": (TrnType.JOINT, "joint"),
    "jointinparent": (TrnType.JOINTINPARENT, "joint"),
    "tendon": (TrnType.TENDON, "tendon"),
    "cranksite": (TrnType.SLIDERCRANK, "site"),
    "site": (TrnType.SITE, "site"),
    "body": (TrnType.BODY, "body"),
}

State = dict[str, Any]


def read_actuator(element: Element, defaults: Defaults, settings: Settings) -> Link:
    """Any actuator."""
    cls = defaults.check(element) or "main"
    state = initial_state()
    for said in (*defaults.actuators[cls], element):
        state = _after(state, said)
    link = Link("actuator", element, state, settings, "all")
    given = next((name for name in _TARGETS if name in element.attributes), None)
    if given is None:
        element.fail(f"needs a target: one of {', '.join(n for n in element.rule.attributes if n in _TARGETS)}")
    state["trntype"], kind = _TARGETS[given]
    link.refs["target"] = (kind, element.attributes[given])
    for role, needed in (("slidersite", TrnType.SLIDERCRANK), ("refsite", TrnType.SITE)):
        if role in element.attributes:
            if state["trntype"] != needed:
                element.fail(f"works with {needed.name.lower()} transmission only", role)
            link.refs[role] = ("site", element.attributes[role])
    if "cranklength" in element.attributes and state["trntype"] != TrnType.SLIDERCRANK:
        element.fail("works with slidercrank transmission only", "cranklength")
    return link


def _after(state: State, element: Element) -> State:
    """The state after an element has changed it."""
    state = overlaid(state, element.attributes, GENERAL)
    change = _SHORTCUTS.get(element.tag)
    if change is not None:
        change(state, element)
    return state


def _put(values: tuple[float, ...], *changes: tuple[int, float]) -> tuple[float, ...]:
    changed = list(values)
    for place, value in changes:
        changed[place] = value
    return tuple(changed)


def _set(state: State, gain: GainType, bias: BiasType, dyn: DynType | None = None) -> None:
    state["gaintype"], state["biastype"] = gain, bias
    if dyn is not None:
        state["dyntype"] = dyn


def _motor(state: State, _: Element) -> None:
    state["gainprm"] = _put(state["gainprm"], (0, 1.0))
    _set(state, GainType.FIXED, BiasType.NONE, DynType.NONE)


def _position(state: State, element: Element) -> None:
    """force = kp (ctrl - length) - kv velocity; a positive third bias parameter waits to become kv from dampratio."""
    said = element.attributes
    kp = said.get("kp", state["gainprm"][0])
    state["gainprm"] = _put(state["gainprm"], (0, kp))
    state["biasprm"] = _put(state["biasprm"], (1, -kp))
    if "kv" in said and "dampratio" in said:
        element.fail("cannot be combined with 'dampratio'", "kv")
    for name, sign in (("kv", -1.0), ("dampratio", 1.0)):
        if name in said:
            if said[name] < 0:
                element.fail("must not be negative", name)
            state["biasprm"] = _put(state["biasprm"], (2, sign * said[name]))
    if "timeconst" in said:
        if said["timeconst"] < 0:
            element.fail("must not be negative", "timeconst")
        state["dynprm"] = _put(state["dynprm"], (0, said["timeconst"]))
        state["dyntype"] = DynType.FILTEREXACT if said["timeconst"] else DynType.NONE
    if state["inheritrange"] > 0 and element.tag == "position" and any(state["ctrlrange"]):
        element.fail("cannot be combined with 'ctrlrange'", "inheritrange")
    _set(state, GainType.FIXED, BiasType.AFFINE)


def _intvelocity(state: State, element: Element) -> None:
    _position(state, element)
    state["dyntype"] = DynType.INTEGRATOR
    state["actlimited"] = 1
    if state["inheritrange"] > 0 and any(state["actrange"]):
        element.fail("cannot be combined with 'actrange'", "inheritrange")


def _velocity(state: State, element: Element) -> None:
    kv = element.attributes.get("kv", state["gainprm"][0])
    state["gainprm"] = _put(state["gainprm"], (0, kv))
    state["biasprm"] = _put((0.0,) * COUNT, (2, -kv))
    _set(state, GainType.FIXED, BiasType.AFFINE, DynType.NONE)


def _damper(state: State, element: Element) -> None:
    kv = element.attributes.get("kv", 0.0)
    if kv < 0:
        element.fail("must not be negative", "kv")
    state["gainprm"] = _put((0.0,) * COUNT, (2, -kv))
    _set(state, GainType.AFFINE, BiasType.NONE, DynType.NONE)
    _one_sided(state, element)


def _adhesion(state: State, element: Element) -> None:
    gain = element.attributes.get("gain", state["gainprm"][0])
    if gain < 0:
        element.fail("must not be negative", "gain")
    state["gainprm"] = _put(state["gainprm"], (0, gain))
    _set(state, GainType.FIXED, BiasType.NONE)
    _one_sided(state, element)


def _one_sided(state: State, element: Element) -> None:
    state["ctrllimited"] = 1
    if min(state["ctrlrange"]) < 0:
        element.fail("must not be negative", "ctrlrange")


def _cylinder(state: State, element: Element) -> None:
    said = element.attributes
    area = said.get("area", state["gainprm"][0])
    if said.get("diameter", -1.0) >= 0:
        area = pi / 4 * said["diameter"] ** 2
    state["dynprm"] = _put(state["dynprm"], (0, said.get("timeconst", state["dynprm"][0])))
    state["biasprm"] = _put(state["biasprm"], (0, said["bias"][0] if "bias" in said else state["biasprm"][0]))
    state["gainprm"] = _put(state["gainprm"], (0, area))
    _set(state, GainType.FIXED, BiasType.AFFINE, DynType.FILTER)


def _muscle(state: State, element: Element) -> None:
    said = element.attributes
    gain = list(state["gainprm"])
    for place, value in enumerate(_MUSCLE_GAIN):
        if gain[place] == (1.0 if place == 0 else 0.0):
            gain[place] = value
    dynamics = list(state["dynprm"])
    for place, value in enumerate(_MUSCLE_DYNAMICS):
        if dynamics[place] == (1.0 if place == 0 else 0.0):
            dynamics[place] = value
    dynamics[2] = said.get("tausmooth", dynamics[2])
    if dynamics[2] < 0:
        element.fail("must not be negative", "tausmooth")
    for place, value in enumerate(said.get("timeconst", ())):
        if value >= 0:
            dynamics[place] = value
    # a negative value means: not said
    new = (*said.get("range", (-1.0, -1.0)), *(said.get(name, -1.0) for name in _MUSCLE_ATTRIBUTES))
    for place, value in enumerate(new):
        if value >= 0:
            gain[place] = value
    state["dynprm"], state["gainprm"] = tuple(dynamics), tuple(gain)
    state["biasprm"] = (*gain[:9], *state["biasprm"][9:])
    _set(state, GainType.MUSCLE, BiasType.MUSCLE, DynType.MUSCLE)


_SHORTCUTS = {
    "motor": _motor,
    "position": _position,
    "intvelocity": _intvelocity,
    "velocity": _velocity,
    "damper": _damper,
    "adhesion": _adhesion,
    "cylinder": _cylinder,
    "muscle": _muscle,
}


def compile_actuators(spec: Spec) -> dict[str, Any]:
    """The `actuator_*` arrays."""
    links = spec.links["actuator"]
    targets = [_target(spec, link) for link in links]
    flags: dict[str, list[bool]] = {"ctrl": [], "force": [], "act": []}
    for link in links:
        _inherit_range(spec, link)
        for name, column in flags.items():
            bounds = link.values[f"{name}range"]
            limited = limits(link, link.values[f"{name}limited"], bounds, f"{name}limited", f"{name}range")
            if limited and bounds[0] >= bounds[1]:
                link.fail("must be increasing", f"{name}range")
            column.append(limited)
        check_delay(link)
        link.values["actdim"] = _activations(link, flags["act"][-1])
        _check_muscle(link)
    states = [link.values["actdim"] for link in links]
    names = ("dyntype", "gaintype", "biastype", "group", "delay", "dynprm", "gainprm", "biasprm", "actearly",
             "ctrlrange", "forcerange", "actrange", "gear", "cranklength", "lengthrange")
    values = {f"actuator_{name}": [link.values.get(name, (0.0, 0.0)) for link in links] for name in names}
    return {
        **values,
        "actuator_trntype": [link.values["trntype"] for link in links],
        "actuator_trnid": targets,
        "actuator_actnum": states,
        "actuator_actadr": np.where(np.array(states, int) > 0, starts(states), -1),
        "actuator_history": [(link.values["nsample"], link.values["interp"]) for link in links],
        **{f"actuator_{name}limited": column for name, column in flags.items()},
    }


def check_delay(link: Link) -> None:
    """A delay needs a buffer that remembers."""
    if link.values.get("delay", 0.0) > 0 and link.values["nsample"] <= 0:
        link.fail("needs a positive 'nsample'", "delay")


def check_classes(defaults: Defaults) -> None:
    """Refuse default classes that no actuator could have, used or not."""
    for elements in defaults.actuators.values():
        state = initial_state()
        for element in elements:
            state = _after(state, element)


def initial_state() -> State:
    """An actuator of which nothing has been said."""
    return {**GENERAL.defaults, "inheritrange": 0.0, "trntype": None}


def _target(spec: Spec, link: Link) -> tuple[int, int]:
    other = -1
    trn = link.values["trntype"]
    if trn == TrnType.SLIDERCRANK:
        if "slidersite" not in link.refs:
            link.fail("needs attribute 'slidersite'")
        other = spec.find(link, "slidersite").number
        if link.values["cranklength"] <= 0:
            link.fail("must be positive", "cranklength")
    elif trn == TrnType.SITE and "refsite" in link.refs:
        other = spec.find(link, "refsite").number
    return spec.find(link, "target").number, other


def _inherit_range(spec: Spec, link: Link) -> None:
    """Set the range of a servo to a fraction of its target's range, about the same middle."""
    v = link.values
    servo = v["gaintype"] == GainType.FIXED and v["biastype"] == BiasType.AFFINE and v["gainprm"][0] == -v["biasprm"][1]
    if not servo or v["inheritrange"] <= 0:
        return
    if v["dyntype"] in (DynType.NONE, DynType.FILTEREXACT):
        field = "ctrlrange"
    elif v["dyntype"] == DynType.INTEGRATOR:
        field = "actrange"
    else:
        link.fail("works with position and intvelocity actuators only", "inheritrange")
    target = spec.find(link, "target")
    if v["trntype"] == TrnType.JOINT:
        if target.type not in (JointType.HINGE, JointType.SLIDE):
            link.fail("works with hinge and slide joints only", "inheritrange")
        low, high = target.range
    elif v["trntype"] == TrnType.TENDON:
        low, high = target.values["range"]
    else:
        link.fail("works with joints and tendons only", "inheritrange")
    if low == high:
        link.fail(f"'{target.name}' has no range", "inheritrange")
    middle, radius = 0.5 * (high + low), 0.5 * (high - low) * v["inheritrange"]
    link.values = {**v, field: (middle - radius, middle + radius)}


def _activations(link: Link, limited: bool) -> int:
    v = link.values
    stateless = v["dyntype"] == DynType.NONE
    if limited and stateless:
        link.fail("needs a dyntype other than 'none'", "actrange")
    if v["actdim"] > 1 and v["dyntype"] != DynType.USER:
        link.fail("above 1 needs dyntype 'user'", "actdim")
    if (v["actdim"] == 1 and stateless) or (v["actdim"] == 0 and not stateless):
        link.fail("does not match the dyntype", "actdim")
    return int(not stateless) if v["actdim"] < 0 else v["actdim"]


def _check_muscle(link: Link) -> None:
    v = link.values
    for kind, name in ((v["gaintype"] == GainType.MUSCLE, "gainprm"), (v["biastype"] == BiasType.MUSCLE, "biasprm")):
        if not kind:
            continue
        prm = v[name]
        if prm[0] >= prm[1]:
            link.fail("range must be increasing", name)
        if prm[4] >= 1 or prm[5] <= 1:
            link.fail("lmin < 1 < lmax is needed", name)
        if min(prm[3], prm[6], prm[7], prm[8]) <= 0:
            link.fail("scale, vmax, fpmax and fvmax must be positive", name)

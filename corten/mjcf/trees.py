"""Kinematic trees: which dofs and bodies belong together, and which trees may fall asleep."""

from __future__ import annotations

from typing import Any

import numpy as np

from corten.mjcf import sparsity
from corten.mjcf.spec import Body
from corten.model.enums import SleepPolicy, TrnType, WrapType


def tree_arrays(bodies: list[Body], values: dict[str, Any], simple: list[int]) -> dict[str, Any]:
    """Dof parents, trees, and the sparse layouts that follow from them."""
    counts = [b.dofnum for b in bodies]
    parents = values["body_parentid"]
    dof_parent, last = sparsity.parents(counts, parents)
    first = sparsity.starts(counts).tolist()
    tree = (np.cumsum([p < 0 for p in dof_parent]) - 1).tolist()
    body_tree = [tree[first[w]] if counts[w] else -1 for w in values["body_weldid"]]
    simplenum = sparsity.run_lengths([simple[b] for b in values["dof_bodyid"]])
    chain = sparsity.chains(dof_parent)
    ntree = tree[-1] + 1 if tree else 0
    return {
        "dof_parentid": dof_parent,
        "dof_treeid": tree,
        "dof_simplenum": simplenum,
        "body_dofadr": [adr if n else -1 for adr, n in zip(first, counts, strict=True)],
        "body_treeid": body_tree,
        "body_simple": simple,
        "tree_bodyadr": _first_places(body_tree),
        "tree_bodynum": np.bincount([t for t in body_tree if t >= 0], minlength=ntree),
        "tree_dofadr": _first_places(tree),
        "tree_dofnum": np.bincount(tree, minlength=ntree),
        **sparsity.inertia_layout(chain, simplenum),
        **sparsity.body_dof_layout(chain, last, counts, parents, first),
    }


def _first_places(trees: list[int]) -> list[int]:
    """Where each tree first occurs; trees are numbered in the order of their first bodies and dofs."""
    places: dict[int, int] = {}
    for place, tree in enumerate(trees):
        places.setdefault(tree, place)
    return [place for tree, place in sorted(places.items()) if tree >= 0]


def demote_for_armature(simple: list[int], values: dict[str, Any]) -> None:
    """A tendon with armature couples the bodies on its path, which are then not simple."""
    for adr, number, armature in zip(
        values["tendon_adr"], values["tendon_num"], values["tendon_armature"], strict=True
    ):
        if armature:
            for wrap in range(adr, adr + number):
                body = _wrap_body(values, wrap)
                if body >= 0 and values["wrap_type"][wrap] != WrapType.JOINT:
                    simple[body] = 0


def _wrap_body(values: dict[str, Any], wrap: int) -> int:
    """The body that an object on a tendon's path belongs to, or -1 for a pulley."""
    kind, obj = values["wrap_type"][wrap], values["wrap_objid"][wrap]
    if kind == WrapType.JOINT:
        return values["jnt_bodyid"][obj]
    if kind == WrapType.SITE:
        return values["site_bodyid"][obj]
    return -1 if kind == WrapType.PULLEY else values["geom_bodyid"][obj]


def tendon_trees(values: dict[str, Any]) -> dict[str, Any]:
    """How many trees each tendon connects, and the first two of them."""
    numbers, ids = [], []
    for adr, number in zip(values["tendon_adr"], values["tendon_num"], strict=True):
        seen: list[int] = []
        for wrap in range(adr, adr + number):
            body = _wrap_body(values, wrap)
            tree = values["body_treeid"][body] if body >= 0 else -1
            if tree >= 0 and tree not in seen:
                seen.append(tree)
        numbers.append(len(seen))
        ids.append((*seen[:2], -1, -1)[:2])
    return {"tendon_treenum": numbers, "tendon_treeid": ids}


def sleep_policies(bodies: list[Body], values: dict[str, Any]) -> list[int]:
    """As said on the root of a tree; else a tree may sleep unless it is actuated, part of a soft body, or held by a
    spring to another."""
    policy = [int(SleepPolicy.AUTO)] * len(values["tree_bodyadr"])
    for body in bodies[1:]:
        said = body.values.get("sleep", SleepPolicy.AUTO)
        if said != SleepPolicy.AUTO:
            tree = values["body_treeid"][body.id]
            if tree < 0 or tree == values["body_treeid"][body.id - 1]:
                body.fail("is for the first moving body of a tree only", "sleep")
            policy[tree] = said
    woken: set[int] = set()
    for kind, (target, _) in zip(values["actuator_trntype"], values["actuator_trnid"], strict=True):
        woken |= _actuated_trees(values, kind, target)
    for tendon, number in enumerate(values["tendon_treenum"]):
        free = not values["tendon_stiffness"][tendon] and not values["tendon_damping"][tendon]
        if number < 2 or (number == 2 and free):
            continue
        for tree in _tendon_tree_set(values, tendon):
            if policy[tree] in (SleepPolicy.ALLOWED, SleepPolicy.INIT):
                bodies[values["tree_bodyadr"][tree]].fail("a tendon to other trees forbids it", "sleep")
            woken.add(tree)
    soft = {*np.ravel(values["flex_vertbodyid"]).tolist(), *np.ravel(values["flex_nodebodyid"]).tolist()}
    woken |= {values["body_treeid"][body] for body in soft if body >= 0}
    auto = {True: SleepPolicy.AUTO_NEVER, False: SleepPolicy.AUTO_ALLOWED}
    return [int(auto[t in woken]) if p == SleepPolicy.AUTO else p for t, p in enumerate(policy)]


def _actuated_trees(values: dict[str, Any], kind: int, target: int) -> set[int]:
    if kind == TrnType.TENDON:
        return _tendon_tree_set(values, target)
    if kind in (TrnType.JOINT, TrnType.JOINTINPARENT):
        body = values["jnt_bodyid"][target]
    else:
        body = target if kind == TrnType.BODY else values["site_bodyid"][target]
    tree = values["body_treeid"][body]
    return {tree} if tree >= 0 else set()


def _tendon_tree_set(values: dict[str, Any], tendon: int) -> set[int]:
    adr = values["tendon_adr"][tendon]
    bodies = [_wrap_body(values, wrap) for wrap in range(adr, adr + values["tendon_num"][tendon])]
    return {values["body_treeid"][b] for b in bodies if b >= 0} - {-1}

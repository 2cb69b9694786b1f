"""The <attach> element: a part of another model becomes part of this one."""

from __future__ import annotations

from corten.mjcf.errors import did_you_mean
from corten.mjcf.grafting import Grafter, store_keys
from corten.mjcf.read import Element
from corten.mjcf.rotation import Pose
from corten.mjcf.spec import LINK_KINDS, NO_POSE, Body, Rename, Spec


def attach(grafter: Grafter, element: Element, body: Body, frame: Pose | None) -> None:
    """Copy a body of another model, or all that is in its world, into a body of this one, under prefixed names.

    Its assets and custom values come along, and those of its links whose references do.
    """
    spec = grafter.spec
    prefix, model = element.attributes["prefix"], element.attributes["model"]
    source = spec.models.get(model)
    if source is None:
        element.fail(f"unknown model '{model}'{did_you_mean(model, spec.models)}", "model")

    def rename(name: str) -> str:
        return prefix + name if name else name

    name = element.attributes.get("body", "")
    if name and ("body", rename(name)) in grafter.names:
        return  # it is there already, which the reference takes for the same attachment made before
    roots = [_body(source, name, element)] if name else list(source.world.bodies)
    grafter.claim(sum(1 + sum(1 for _ in b.attached()) for root in roots for b in root.subtree()), element)
    _attach_assets(grafter, source, rename)
    store_keys(source, spec, prefix)
    holder = Body(element, {}, source.settings)
    pose = frame or NO_POSE
    if not name:
        for item in source.world.attached():
            holder.add(grafter.copied(item, pose, rename))
    for root in roots:
        # a body that is attached by its name leaves the frame behind that it is in
        grafter.body(root, holder, pose if not name else None, rename)
        if name:
            holder.bodies[-1].frame = pose
    for part in holder.subtree():
        _rename_assets(part, rename)
    for item in (*holder.attached(), *holder.bodies):
        body.add(item)
    for kind in LINK_KINDS:
        for link in source.links[kind]:
            new = grafter.link(link, rename)
            if new is not None:
                grafter.hand_over(link, new)
            elif any(kind == "flex" for kind, _ in link.refs.values()):
                link.element.warn("stays behind when its soft body is attached, as in the reference", "flex")
            elif link.kind == "flex" and any((k, rename(n)) in grafter.names for k, n in link.refs.values()):
                link.element.warn("stays behind, as in the reference: not all of its bodies are attached", "name")


def _body(source: Spec, name: str, element: Element) -> Body:
    bodies = {b.name: b for b in source.world.subtree() if b.name}
    if name not in bodies:
        element.fail(f"unknown body '{name}'{did_you_mean(name, bodies)}", "body")
    return bodies[name]


def _attach_assets(grafter: Grafter, source: Spec, rename: Rename) -> None:
    for kind, items in source.assets.items():
        for item in items:
            new = item.copy()
            new.name = rename(item.name)
            if (kind, new.name) in grafter.names:
                continue
            new.refs = {role: (k, rename(n)) for role, (k, n) in item.refs.items()}
            grafter.spec.assets[kind].append(new)
            grafter.names.add(kind, new.name)
    for own, others in ((grafter.spec.numerics, source.numerics), (grafter.spec.texts, source.texts)):
        for item in others:
            new = item.copy()
            new.name = rename(item.name)
            if all(new.name != known.name for known in own):
                own.append(new)


def _rename_assets(body: Body, rename: Rename) -> None:
    for item in body.attached():
        item.refs = {
            role: (kind, rename(name)) if kind in ("mesh", "hfield", "material", "texture") else (kind, name)
            for role, (kind, name) in item.refs.items()
        }

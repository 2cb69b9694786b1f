"""From a file to a Spec: settings, defaults, assets and links first, then the tree that they refer to."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from corten.mjcf.actuators import check_classes, read_actuator
from corten.mjcf.contact import read_contact
from corten.mjcf.custom import read_custom
from corten.mjcf.defaults import Defaults
from corten.mjcf.equality import read_equality
from corten.mjcf.flex.source import check_materials, read_flex
from corten.mjcf.grammar.tree import BODY
from corten.mjcf.meshes import read_mesh_asset
from corten.mjcf.options import read_options, read_settings, read_sizes, read_statistic, read_znear
from corten.mjcf.read import Element, Reader
from corten.mjcf.sensors import read_sensor
from corten.mjcf.source import Files
from corten.mjcf.spec import Body, Item, Spec
from corten.mjcf.tendons import read_tendon
from corten.mjcf.tree import TreeBuilder

MAX_MODEL_DEPTH = 20


def load(content: bytes | str, file: str, files: Files, directory: str = "", depth: int = 0) -> Spec:
    """Read a model; `directory` is where it is, relative to the main model."""
    root = Reader(files, directory).read(content, file)
    settings = read_settings(root, directory)
    world = Body(root, dict(BODY.defaults), settings)  # so that its copies are bodies like others
    world.name = "world"
    spec = Spec(
        root, settings, world, read_options(root), read_sizes(root), read_statistic(root), read_znear(root),
        root.attributes.get("model", "MuJoCo Model"),
    )
    defaults = Defaults(root)
    check_classes(defaults)
    for section in root.children:
        if section.tag == "asset":
            _read_assets(spec, section, defaults, files, depth)
        elif section.tag == "deformable":
            spec.assets["skin"] += [Item(skin, skin.attributes, settings) for skin in section.all("skin")]
            spec.links["flex"] += [read_flex(flex, settings) for flex in section.all("flex")]
        elif section.tag == "custom":
            read_custom(spec, section)
        elif section.tag == "keyframe":
            for key in section.children:
                spec.keys.append(Item(key, {**key.rule.defaults, **key.attributes}, settings))
        elif section.tag in _LINK_READERS:
            for element in section.children:
                link = _LINK_READERS[section.tag](element, defaults, settings)
                spec.links[link.kind].append(link)
    builder = TreeBuilder(spec, defaults, files)
    for worldbody in root.all("worldbody"):
        builder.build(worldbody)
    check_materials(spec)
    return spec


_LINK_READERS = {
    "contact": read_contact,
    "equality": read_equality,
    "tendon": read_tendon,
    "actuator": read_actuator,
    "sensor": lambda element, _, settings: read_sensor(element, settings),
}


def _read_assets(spec: Spec, section: Element, defaults: Defaults, files: Files, depth: int) -> None:
    for element in section.children:
        tag = element.tag
        if tag == "model":
            _read_model(spec, element, files, depth)
            continue
        inherits = tag if tag in ("mesh", "material") else ""
        values = defaults.values(element, inherits) if inherits else {**element.rule.defaults, **element.attributes}
        if tag in ("mesh", "hfield"):
            item = read_mesh_asset(element, values, spec.settings)
        else:
            item = Item(element, values, spec.settings)
            item.refer(("texture", "texture"))
            if not item.name and "file" in values:
                item.name = PurePosixPath(values["file"]).stem
            if not item.name and tag == "material":
                element.fail("needs attribute 'name'")
            for number, layer in enumerate(element.all("layer")):
                if "texture" in element.attributes:
                    element.fail("cannot have both attribute 'texture' and layers")
                item.refs[number] = ("texture", layer.attributes["texture"])
        spec.assets[tag].append(item)


def _read_model(spec: Spec, element: Element, files: Files, depth: int) -> None:
    """A model that parts can be attached from."""
    if depth >= MAX_MODEL_DEPTH:
        element.fail(f"models are nested deeper than {MAX_MODEL_DEPTH}")
    path = element.attributes["file"].replace("\\", "/")
    relative = Path(spec.settings.directory, element.base, path)
    content = files.read(os.path.normpath(relative))
    if content is None:
        element.fail(f"'{path}' not found", "file")
    inner = load(content, path, files, str(relative.parent), depth + 1)
    spec.models[element.attributes.get("name", inner.name)] = inner

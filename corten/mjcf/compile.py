"""The compiler as a sequence of passes: text, elements, objects, numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corten.mjcf import arrays, contact, custom, equality, keyframes, sensors, trees
from corten.mjcf.actuators import compile_actuators
from corten.mjcf.bodies import check_moving_masses, compile_bodies, number_welds
from corten.mjcf.constants import scale_masses
from corten.mjcf.errors import MjcfError
from corten.mjcf.flex.compile import compile_flexes, flex_arrays
from corten.mjcf.flex.jacobian import jacobian_arrays
from corten.mjcf.load import load
from corten.mjcf.meshes import build_assets, hfield_arrays, mesh_arrays
from corten.mjcf.prune import discard_visual, fuse_static, warn_of_stale_numbers
from corten.mjcf.solref import warn_of_mixed_signs
from corten.mjcf.source import MAX_BYTES, Files
from corten.mjcf.spec import ASSET_KINDS, LINK_KINDS, LISTS, MAX_BODIES, MAX_NUMBERS, Body, Spec
from corten.mjcf.tendons import compile_tendons

_USER_LISTS = {"body": "body", "jnt": "joint", "geom": "geom", "site": "site", "cam": "camera", "tendon": "tendon",
               "actuator": "actuator", "sensor": "sensor"}


@dataclass
class CompiledModel:
    """The numbers of a model: sizes, array-like values by field, names by kind of object; and what it was read from."""

    name: str
    sizes: dict[str, int]
    values: dict[str, Any]
    names: dict[str, list[str]]
    spec: Spec


def compile_path(path: str | Path) -> CompiledModel:
    """Compile a model file."""
    path = Path(path)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise MjcfError(f"is larger than {MAX_BYTES // 2**20} MB", path.name)
        content = path.read_bytes()
    except OSError as error:
        raise MjcfError(f"cannot be read: {error.strerror}", str(path)) from None
    files = Files(path.parent)
    return _compile(load(content, path.name, files), files)


def compile_string(xml: str, assets: Mapping[str, bytes | str] | None = None) -> CompiledModel:
    """Compile a model given as text; files that it names are looked up in `assets`, then on disk."""
    if not isinstance(xml, str | bytes):
        raise TypeError(f"the model is a {type(xml).__name__}, not text")
    files = Files(assets=dict(assets or {}))
    for name, content in files.assets.items():
        if not isinstance(content, str | bytes | bytearray | memoryview):
            raise TypeError(f"asset '{name}' is a {type(content).__name__}, not bytes or text")
    return _compile(load(xml, "<string>", files), files)


def _compile(spec: Spec, files: Files) -> CompiledModel:
    objects = _number(spec)
    build_assets(spec, files)
    bodies = objects["body"]
    compile_bodies(spec, bodies)
    widths = _user_widths(spec, objects)
    if spec.settings.fusestatic:
        fuse_static(spec)
    if spec.settings.discardvisual:
        discard_visual(spec)
    if spec.settings.fusestatic or spec.settings.discardvisual:
        # what the reference refers to where it both fuses and discards follows no rule
        objects = _number(spec, fused=not spec.settings.discardvisual)
        bodies = objects["body"]
        number_welds(bodies)
        warn_of_stale_numbers(spec)
    check_moving_masses(bodies)
    warn_of_mixed_signs(objects)

    values = arrays.body_arrays(bodies)
    values |= arrays.joint_arrays(objects["joint"])
    values |= arrays.geom_arrays(objects["geom"])
    values |= arrays.site_arrays(objects["site"])
    values |= arrays.camera_arrays(spec, objects["camera"])
    values |= arrays.light_arrays(spec, objects["light"])
    values |= mesh_arrays(spec.assets["mesh"])
    values |= hfield_arrays(spec.assets["hfield"])
    values["mat_rgba"] = [item.values["rgba"] for item in spec.assets["material"]]
    values |= contact.compile_pairs(spec)
    values |= contact.compile_excludes(spec)
    values |= equality.compile_equalities(spec)
    flexes = compile_flexes(spec, bodies)
    values |= flex_arrays(spec, flexes, values["body_weldid"])
    values |= jacobian_arrays(spec, flexes, bodies)
    values |= compile_tendons(spec)
    values |= compile_actuators(spec)
    values |= sensors.compile_sensors(spec)
    values |= custom.compile_custom(spec)
    values |= _options(spec)

    simple = arrays.simple_bodies(bodies, values["body_sameframe"])
    trees.demote_for_armature(simple, values)
    values |= trees.tree_arrays(bodies, values, simple)
    values |= trees.tendon_trees(values)
    values["tree_sleep_policy"] = trees.sleep_policies(bodies, values)

    sizes = _sizes(spec, objects, values) | widths
    for prefix, kind in _USER_LISTS.items():
        values[f"{prefix}_user"] = arrays.user_values(objects[kind], widths[f"nuser_{prefix}"])
    _histories(spec, sizes, values)
    values |= keyframes.compile_keyframes(spec, sizes, values)
    sizes["nkey"] = len(values["key_time"])
    scale_masses(spec, values)
    names = {kind: [item.name for item in items] for kind, items in objects.items()}
    names |= {"numeric": [i.name for i in spec.numerics], "text": [i.name for i in spec.texts]}
    names["key"] = keyframes.key_names(spec)
    return CompiledModel(spec.name, sizes, values, names, spec)


def _number(spec: Spec, fused: bool = False) -> dict[str, list[Any]]:
    """Give every object its number, bodies depth first and what they carry in the order of bodies."""
    bodies: list[Body] = list(spec.world.subtree())
    if len(bodies) + len(spec.links["flex"]) >= MAX_BODIES:
        spec.root.fail(f"has {len(bodies)} bodies and {len(spec.links['flex'])} flexes, more than {MAX_BODIES}")
    objects: dict[str, list[Any]] = {"body": bodies}
    for kind, attribute in LISTS.items():
        if kind != "body":
            objects[kind] = [item for body in bodies for item in getattr(body, attribute)]
    objects |= {kind: spec.assets[kind] for kind in ASSET_KINDS}
    objects |= {kind: spec.links[kind] for kind in LINK_KINDS}
    for kind, items in objects.items():
        spec.index(kind, items, fused)
    for kind, items in (("numeric", spec.numerics), ("text", spec.texts), ("key", spec.keys)):
        spec.index(kind, items)
    for item in (*spec.assets["material"], *objects["site"], *objects["light"]):
        for role in item.refs:
            spec.find(item, role)
    return objects


def _options(spec: Spec) -> dict[str, Any]:
    option = spec.option
    names = [n for n in option if n != "actuatorgroupdisable"]
    return {f"opt.{name}": option[name] for name in names}


def _sizes(spec: Spec, objects: dict[str, list[Any]], values: dict[str, Any]) -> dict[str, int]:
    sizes = {
        "nq": len(values["qpos0"]),
        "nv": len(values["dof_bodyid"]),
        "nu": len(objects["actuator"]),
        "na": sum(values["actuator_actnum"]),
        "ntree": len(values["tree_bodyadr"]),
        "nM": (len(values["D_colind"]) + len(values["dof_bodyid"])) // 2,
        "nB": len(values["B_colind"]),
        "nC": len(values["M_colind"]),
        "nD": len(values["D_colind"]),
        "nmocap": sum(i >= 0 for i in values["body_mocapid"]),
        "ngravcomp": sum(g > 0 for g in values["body_gravcomp"]),
        "nemax": equality.rows(values["eq_type"]),
        "nsensordata": sum(values["sensor_dim"]),
        "nwrap": len(values["wrap_type"]),
        "nnumeric": len(spec.numerics),
        "ntext": len(spec.texts),
    }
    plural = {"body": "nbody", "joint": "njnt", "geom": "ngeom", "site": "nsite", "camera": "ncam", "light": "nlight",
              "mesh": "nmesh", "hfield": "nhfield", "material": "nmat", "pair": "npair", "exclude": "nexclude",
              "flex": "nflex", "equality": "neq", "tendon": "ntendon", "sensor": "nsensor", "tuple": "ntuple"}
    sizes |= {name: len(objects[kind]) for kind, name in plural.items()}
    lengths = {"nflexnode": "flex_node", "nflexvert": "flex_vert", "nflexedge": "flex_edge",
               "nflexelem": "flex_elemlayer", "nflexelemdata": "flex_elem", "nflexelemedge": "flex_elemedge",
               "nflexshelldata": "flex_shell", "nflexevpair": "flex_evpair", "nJfe": "flexedge_J_colind",
               "nJfv": "flexvert_J_colind", "nmeshvert": "mesh_vert", "nmeshnormal": "mesh_normal",
               "nmeshtexcoord": "mesh_texcoord", "nmeshface": "mesh_face", "nmeshgraph": "mesh_graph",
               "nmeshpoly": "mesh_polynormal", "nmeshpolyvert": "mesh_polyvert", "nmeshpolymap": "mesh_polymap",
               "nhfielddata": "hfield_data",
               "nnumericdata": "numeric_data", "ntextdata": "text_data", "ntupledata": "tuple_objid"}
    sizes |= {name: len(values[field]) for name, field in lengths.items()}
    sizes |= {name: spec.size[name] for name in ("njmax", "nconmax")}
    sizes["nuserdata"] = max(spec.size["nuserdata"], 0)
    return sizes


def _user_widths(spec: Spec, objects: dict[str, list[Any]]) -> dict[str, int]:
    """How many user values each kind of object has; objects that will be fused or discarded count."""
    sizes = {f"nuser_{prefix}": kind for prefix, kind in _USER_LISTS.items()}
    return {size: arrays.user_width(objects[kind], spec.size[size]) for size, kind in sizes.items()}


def _histories(spec: Spec, sizes: dict[str, int], values: dict[str, Any]) -> None:
    """Addresses of the delay buffers: two numbers, the times of the samples, and the samples."""
    adr = 0
    for kind, dims in (("actuator", [1] * sizes["nu"]), ("sensor", values["sensor_dim"])):
        addresses = []
        for (samples, _), dim in zip(values[f"{kind}_history"], dims, strict=True):
            addresses.append(adr if samples > 0 else -1)
            adr += 2 + samples * (1 + dim) if samples > 0 else 0
        values[f"{kind}_historyadr"] = addresses
    sizes["nhistory"] = adr
    for name, what in (("nhistory", "delay buffers"), ("nsensordata", "sensors"), ("na", "activation states")):
        if sizes[name] > MAX_NUMBERS:
            spec.root.fail(f"asks for {sizes[name]} numbers of {what}")
    if adr and values["opt.timestep"] <= 0:
        spec.root.fail("delay buffers need a positive timestep")

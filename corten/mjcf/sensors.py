"""Sensors: what each type measures, and the shape and stage of its output."""

from __future__ import annotations

from typing import Any

from corten.mjcf.actuators import check_delay
from corten.mjcf.defaults import overlaid
from corten.mjcf.read import Element
from corten.mjcf.sparsity import starts
from corten.mjcf.spec import Link, Settings, Spec
from corten.model.enums import ContactData, DataType, GeomType, JointType, ObjType, RayData, SensorType, Stage

# tag: type, number of values, their meaning, stage; 0 values: it depends
_OUTPUT: dict[str, tuple[SensorType, int, DataType, Stage]] = {
    "touch": (SensorType.TOUCH, 1, DataType.POSITIVE, Stage.ACC),
    "accelerometer": (SensorType.ACCELEROMETER, 3, DataType.REAL, Stage.ACC),
    "velocimeter": (SensorType.VELOCIMETER, 3, DataType.REAL, Stage.VEL),
    "gyro": (SensorType.GYRO, 3, DataType.REAL, Stage.VEL),
    "force": (SensorType.FORCE, 3, DataType.REAL, Stage.ACC),
    "torque": (SensorType.TORQUE, 3, DataType.REAL, Stage.ACC),
    "magnetometer": (SensorType.MAGNETOMETER, 3, DataType.REAL, Stage.POS),
    "rangefinder": (SensorType.RANGEFINDER, 0, DataType.REAL, Stage.POS),
    "camprojection": (SensorType.CAMPROJECTION, 2, DataType.REAL, Stage.POS),
    "jointpos": (SensorType.JOINTPOS, 1, DataType.REAL, Stage.POS),
    "jointvel": (SensorType.JOINTVEL, 1, DataType.REAL, Stage.VEL),
    "jointactuatorfrc": (SensorType.JOINTACTFRC, 1, DataType.REAL, Stage.ACC),
    "tendonpos": (SensorType.TENDONPOS, 1, DataType.REAL, Stage.POS),
    "tendonvel": (SensorType.TENDONVEL, 1, DataType.REAL, Stage.VEL),
    "tendonactuatorfrc": (SensorType.TENDONACTFRC, 1, DataType.REAL, Stage.ACC),
    "actuatorpos": (SensorType.ACTUATORPOS, 1, DataType.REAL, Stage.POS),
    "actuatorvel": (SensorType.ACTUATORVEL, 1, DataType.REAL, Stage.VEL),
    "actuatorfrc": (SensorType.ACTUATORFRC, 1, DataType.REAL, Stage.ACC),
    "ballquat": (SensorType.BALLQUAT, 4, DataType.QUATERNION, Stage.POS),
    "ballangvel": (SensorType.BALLANGVEL, 3, DataType.REAL, Stage.VEL),
    "jointlimitpos": (SensorType.JOINTLIMITPOS, 1, DataType.REAL, Stage.POS),
    "jointlimitvel": (SensorType.JOINTLIMITVEL, 1, DataType.REAL, Stage.VEL),
    "jointlimitfrc": (SensorType.JOINTLIMITFRC, 1, DataType.REAL, Stage.ACC),
    "tendonlimitpos": (SensorType.TENDONLIMITPOS, 1, DataType.REAL, Stage.POS),
    "tendonlimitvel": (SensorType.TENDONLIMITVEL, 1, DataType.REAL, Stage.VEL),
    "tendonlimitfrc": (SensorType.TENDONLIMITFRC, 1, DataType.REAL, Stage.ACC),
    "framepos": (SensorType.FRAMEPOS, 3, DataType.REAL, Stage.POS),
    "framequat": (SensorType.FRAMEQUAT, 4, DataType.QUATERNION, Stage.POS),
    "framexaxis": (SensorType.FRAMEXAXIS, 3, DataType.AXIS, Stage.POS),
    "frameyaxis": (SensorType.FRAMEYAXIS, 3, DataType.AXIS, Stage.POS),
    "framezaxis": (SensorType.FRAMEZAXIS, 3, DataType.AXIS, Stage.POS),
    "framelinvel": (SensorType.FRAMELINVEL, 3, DataType.REAL, Stage.VEL),
    "frameangvel": (SensorType.FRAMEANGVEL, 3, DataType.REAL, Stage.VEL),
    "framelinacc": (SensorType.FRAMELINACC, 3, DataType.REAL, Stage.ACC),
    "frameangacc": (SensorType.FRAMEANGACC, 3, DataType.REAL, Stage.ACC),
    "subtreecom": (SensorType.SUBTREECOM, 3, DataType.REAL, Stage.POS),
    "subtreelinvel": (SensorType.SUBTREELINVEL, 3, DataType.REAL, Stage.VEL),
    "subtreeangmom": (SensorType.SUBTREEANGMOM, 3, DataType.REAL, Stage.VEL),
    "insidesite": (SensorType.INSIDESITE, 1, DataType.POSITIVE, Stage.POS),
    "distance": (SensorType.GEOMDIST, 1, DataType.REAL, Stage.POS),
    "normal": (SensorType.GEOMNORMAL, 3, DataType.AXIS, Stage.POS),
    "fromto": (SensorType.GEOMFROMTO, 6, DataType.REAL, Stage.POS),
    "contact": (SensorType.CONTACT, 0, DataType.REAL, Stage.ACC),
    "e_potential": (SensorType.E_POTENTIAL, 1, DataType.REAL, Stage.POS),
    "e_kinetic": (SensorType.E_KINETIC, 1, DataType.REAL, Stage.POS),
    "clock": (SensorType.CLOCK, 1, DataType.REAL, Stage.POS),
    "tactile": (SensorType.TACTILE, 0, DataType.REAL, Stage.ACC),
    "user": (SensorType.USER, 0, DataType.REAL, Stage.ACC),
}

# numbers per contact or ray of what may be reported
_CONTACT_WIDTH = {ContactData.FOUND: 1, ContactData.FORCE: 3, ContactData.TORQUE: 3, ContactData.DIST: 1,
                  ContactData.POS: 3, ContactData.NORMAL: 3, ContactData.TANGENT: 3}
_RAY_WIDTH = {RayData.DIST: 1, RayData.DIR: 3, RayData.ORIGIN: 3, RayData.POINT: 3, RayData.NORMAL: 3, RayData.DEPTH: 1}

NAMED_KINDS = {t.name.lower(): t for t in ObjType if t.name not in ("UNKNOWN", "FRAME", "DEFAULT", "MODEL")}


def kind_of(objtype: int) -> str:
    """The list of names that an object type is looked up in."""
    return "body" if objtype == ObjType.XBODY else ObjType(objtype).name.lower()


def read_sensor(element: Element, settings: Settings) -> Link:
    """Any sensor."""
    values = overlaid(element.rule.defaults, element.attributes, element.rule)
    link = Link("sensor", element, values, settings, "any")
    said, tag = element.attributes, element.tag
    obj = ref = None
    if tag == "insidesite":
        obj, ref = (said["objtype"], said["objname"]), (ObjType.SITE, said["site"])
    elif tag == "tactile":
        obj, ref = (ObjType.MESH, said["mesh"]), (ObjType.GEOM, said["geom"])
    elif tag == "user":
        if "objtype" in said:
            if said["objtype"] not in NAMED_KINDS:
                element.fail(f"'{said['objtype']}' is not a kind of object", "objtype")
            obj = (NAMED_KINDS[said["objtype"]], said["objname"])
    elif "objname" in said:
        obj = (said["objtype"], said["objname"])
        if "refname" in said:
            ref = (said["reftype"], said["refname"])
    elif tag == "camprojection":
        obj, ref = (ObjType.SITE, said["site"]), (ObjType.CAMERA, said["camera"])
    else:
        kinds = {"site": ObjType.SITE, "body": ObjType.BODY, "subtree": ObjType.XBODY, "geom": ObjType.GEOM,
                 "joint": ObjType.JOINT, "tendon": ObjType.TENDON, "actuator": ObjType.ACTUATOR,
                 "camera": ObjType.CAMERA}
        for name, kind in kinds.items():
            obj = obj or next(((kind, said[n]) for n in (name, f"{name}1") if n in said), None)
            ref = ref or ((kind, said[f"{name}2"]) if f"{name}2" in said else None)
    values["objtype"], values["reftype"] = (obj or (ObjType.UNKNOWN,))[0], (ref or (ObjType.UNKNOWN,))[0]
    for role, target in (("obj", obj), ("ref", ref)):
        if target is not None:
            link.refs[role] = (kind_of(target[0]), target[1])
    return link


def compile_sensors(spec: Spec) -> dict[str, Any]:
    """The `sensor_*` arrays."""
    links = spec.links["sensor"]
    for link in links:
        link.data = _compile(spec, link)
    v = [link.values for link in links]
    dims = [link.data[3] for link in links]
    columns = ("type", "datatype", "needstage", "dim", "objid", "refid", "intprm")
    return {
        **{f"sensor_{name}": [link.data[i] for link in links] for i, name in enumerate(columns)},
        "sensor_objtype": [values["objtype"] for values in v],
        "sensor_reftype": [values["reftype"] for values in v],
        "sensor_adr": starts(dims),
        "sensor_cutoff": [values.get("cutoff", 0.0) for values in v],
        "sensor_noise": [values.get("noise", 0.0) for values in v],
        "sensor_history": [(values.get("nsample", 0), values.get("interp", 0)) for values in v],
        "sensor_delay": [values.get("delay", 0.0) for values in v],
        "sensor_interval": [values.get("interval", (0.0, 0.0)) for values in v],
    }


def _compile(spec: Spec, link: Link) -> tuple[Any, ...]:
    v, tag = link.values, link.element.tag
    for name in ("noise", "cutoff"):
        if v.get(name, 0.0) < 0:
            link.fail("must not be negative", name)
    check_delay(link)
    period, phase = v.get("interval", (0.0, 0.0))
    if period < 0 or phase > 0 or (period > 0 and phase <= -period):
        link.fail("needs a period of 0 or more, and a phase above minus the period up to 0", "interval")
    obj, ref = spec.find(link, "obj"), spec.find(link, "ref")
    kind, dim, datatype, stage = _OUTPUT[tag]
    intprm = (0, 0, 0)
    _check(link, kind, obj, ref)
    if kind == SensorType.RANGEFINDER:
        bits, width = _reported(link, _RAY_WIDTH, RayData.DIST)
        rays = 1 if v["objtype"] == ObjType.SITE else obj.values["resolution"][0] * obj.values["resolution"][1]
        dim, intprm = width * rays, (bits, 0, 0)
    elif kind == SensorType.CONTACT:
        bits, width = _reported(link, _CONTACT_WIDTH, ContactData.FOUND)
        if v["num"] <= 0:
            link.fail("must be positive", "num")
        dim, intprm = width * v["num"], (bits, v["reduce"], v["num"])
    elif kind == SensorType.TACTILE:
        dim = 3 * obj.vertnum
    elif kind == SensorType.USER:
        dim, datatype, stage = v["dim"], DataType(v["datatype"]), Stage(v["needstage"])
        needed = {DataType.AXIS: 3, DataType.QUATERNION: 4}.get(datatype, dim)
        if dim < 0 or dim != needed:
            link.fail(f"must be {needed}" if dim >= 0 else "must not be negative", "dim")
    directional = datatype == DataType.QUATERNION or (datatype == DataType.AXIS and kind != SensorType.GEOMNORMAL)
    if v.get("cutoff", 0.0) > 0 and directional:
        link.fail("does not apply to directions and orientations", "cutoff")
    ids = (-1 if obj is None else obj.number, -1 if ref is None else ref.number)
    return (kind, datatype, stage, dim, *ids, intprm)


def _reported(link: Link, width: dict[Any, int], default: int) -> tuple[int, int]:
    """Bits and numbers of what `data` asks for; it must follow the order of the list."""
    asked = link.values.get("data") or (default,)
    if list(asked) != sorted(set(asked)):
        link.fail(f"must be in the order {', '.join(w.name.lower() for w in width)}", "data")
    return sum(1 << a for a in asked), sum(width[a] for a in asked)


def _check(link: Link, kind: SensorType, obj: Any, ref: Any) -> None:
    if kind in (SensorType.JOINTPOS, SensorType.JOINTVEL, SensorType.JOINTACTFRC):
        if obj.type not in (JointType.SLIDE, JointType.HINGE):
            link.fail("works with slide and hinge joints only", "joint")
    elif kind in (SensorType.BALLQUAT, SensorType.BALLANGVEL):
        if obj.type != JointType.BALL:
            link.fail("works with ball joints only", "joint")
    elif kind in (SensorType.JOINTLIMITPOS, SensorType.JOINTLIMITVEL, SensorType.JOINTLIMITFRC):
        if not obj.limited:
            link.fail("needs a limited joint", "joint")
    elif kind in (SensorType.TENDONLIMITPOS, SensorType.TENDONLIMITVEL, SensorType.TENDONLIMITFRC):
        low, high = obj.values["range"]
        if not (obj.values["limited"] == 1 or (obj.values["limited"] == 2 and low < high)):
            link.fail("needs a limited tendon", "tendon")
    elif kind in (SensorType.GEOMDIST, SensorType.GEOMNORMAL, SensorType.GEOMFROMTO):
        if obj is ref:
            link.fail("needs two different objects")
        for item in (obj, ref):
            if item.kind == "geom" and item.type == GeomType.HFIELD:
                link.fail("does not work with height fields")
    elif kind == SensorType.TACTILE and ref.number != ref.id:
        link.fail(f"does not work with '{ref.name}', which has moved since bodies are fused", "geom")
    elif kind == SensorType.CAMPROJECTION and not all(ref.values["resolution"]):
        link.fail("needs a camera with a resolution", "camera")

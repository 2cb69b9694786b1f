"""Files that a model names: where they are looked for, and what they are called when they have no name."""

from __future__ import annotations

from pathlib import Path

import pytest
from mjcf_compare import differences, without_cache

from corten.mjcf import MjcfError, compile_path, compile_string

pytestmark = pytest.mark.reference

TET = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
GEOM = '<worldbody><geom type="mesh" mesh="a"/></worldbody>'


def mesh(path: str, compiler: str = "", more: str = "") -> str:
    return f'<mujoco><compiler {compiler}/><asset><mesh file="{path}" {more}/></asset>{GEOM}</mujoco>'


PART = '<x><asset><mesh file="a.obj"/></asset></x>'
INCLUDES = f'<mujoco><include file="sub/i.xml"/>{GEOM}</mujoco>'

LAYOUTS: dict[str, dict[str, str]] = {
    "beside the model": {"m.xml": mesh("a.obj"), "a.obj": TET},
    "in a folder": {"m.xml": mesh("sub/a.obj"), "sub/a.obj": TET},
    "meshdir": {"m.xml": mesh("a.obj", 'meshdir="sub"'), "sub/a.obj": TET},
    "assetdir": {"m.xml": mesh("a.obj", 'assetdir="sub/"'), "sub/a.obj": TET},
    "meshdir over assetdir": {"m.xml": mesh("a.obj", 'assetdir="x" meshdir="sub"'), "sub/a.obj": TET},
    "strippath": {"m.xml": mesh("x/y/a.obj", 'strippath="true" meshdir="sub"'), "sub/a.obj": TET},
    "content type": {"m.xml": mesh("a.dat", "", 'content_type="model/obj" name="a"'), "a.dat": TET},
    "beside the included file": {"m.xml": INCLUDES, "sub/i.xml": PART, "sub/a.obj": TET},
    "beside the including file": {"m.xml": INCLUDES, "sub/i.xml": PART, "a.obj": TET},
    "include of an include": {
        "m.xml": INCLUDES, "sub/i.xml": '<x><include file="j.xml"/></x>', "sub/j.xml": PART, "sub/a.obj": TET,
    },
    "meshdir of an included file": {
        "m.xml": INCLUDES, "sub/i.xml": f'<x><compiler meshdir="msh"/>{PART[3:]}', "msh/a.obj": TET,
    },
    "beside the included file, not below meshdir": {
        "m.xml": f'<mujoco><compiler meshdir="msh"/><include file="i.xml"/>{GEOM}</mujoco>', "i.xml": PART,
        "a.obj": TET,
    },
    "out of a folder that is not there": {"m.xml": mesh("../a.obj", 'meshdir="x"'), "a.obj": TET},
    "content type with a parameter": {
        "m.xml": mesh("a.dat", "", 'content_type="model/obj;a=b" name="a"'), "a.dat": TET,
    },
    "model beside the included file": {
        "m.xml": '<mujoco><include file="sub/i.xml"/><worldbody><attach model="c" prefix="p"/></worldbody></mujoco>',
        "sub/i.xml": '<x><asset><model name="c" file="c.xml"/></asset></x>',
        "sub/c.xml": '<mujoco><worldbody><body><geom size="1"/></body></worldbody></mujoco>',
        "c.xml": '<mujoco><worldbody><body><geom size="2"/></body></worldbody></mujoco>',
    },
    "with backslashes": {
        "m.xml": f'<mujoco><include file="sub\\i.xml"/>{GEOM}</mujoco>', "sub/i.xml": PART.replace("a.obj", "x\\a.obj"),
        "sub/x/a.obj": TET,
    },
    "meshdir of an attached model": {
        "m.xml": '<mujoco><asset><model file="c/c.xml"/></asset>'
        '<worldbody><attach model="c" prefix="p"/></worldbody></mujoco>',
        "c/c.xml": mesh("a.obj", 'meshdir="msh"').replace("<mujoco>", '<mujoco model="c">'), "c/msh/a.obj": TET,
    },
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "m.xml"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_where_files_are_found(layout: str, tmp_path: Path) -> None:
    import mujoco

    without_cache()
    path = write(tmp_path, LAYOUTS[layout])
    ours, theirs = compile_path(path), mujoco.MjModel.from_xml_path(str(path))
    assert differences(ours, theirs) == []
    assert ours.names["mesh"] == [theirs.mesh(i).name for i in range(theirs.nmesh)]


@pytest.mark.parametrize("key", ["a.obj", "sub/a.obj"])
def test_assets_in_memory(key: str) -> None:
    model = compile_string(mesh("sub/a.obj"), {key: TET.encode()})
    assert model.sizes["nmeshvert"] == 4
    assert compile_string(mesh("sub/a.obj"), {key: TET}).sizes["nmeshvert"] == 4


def test_unreadable_names() -> None:
    for name in ("..", ".", "a" * 5000 + ".obj", "/"):
        with pytest.raises(MjcfError):
            compile_string(mesh(name, "", 'name="a"'))

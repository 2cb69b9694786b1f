"""Soft bodies: what refers to them, files of points, what is refused, and that none is simulated."""

from __future__ import annotations

import itertools
import struct
from pathlib import Path

import numpy as np
import pytest
from mjcf_compare import differences, without_cache

import corten
from corten.mjcf import MjcfError, compile_path, compile_string

CLOTH = '<flexcomp name="cloth" count="4 4 1"><edge equality="true"/><pin id="0"/></flexcomp>'
ONE = f"<mujoco><worldbody>{CLOTH}</worldbody></mujoco>"
FOLDED = "0 0 0 1 0 0 0 1 0 1 1 .5"


def _compare(path: Path) -> corten.Model:
    import mujoco

    without_cache()
    assert differences(compile_path(path), mujoco.MjModel.from_xml_path(str(path))) == []
    return corten.Model.from_xml_path(path)


def _write(folder: Path, inside: str, **files: bytes | str) -> Path:
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_bytes(content.encode() if isinstance(content, str) else content)
    path = folder / "model.xml"
    path.write_text(f"<mujoco>{inside}</mujoco>")
    return path


def _gmsh_22(dim: int) -> str:
    kind, rows = (2, ["1 2 3", "2 4 3"]) if dim == 2 else (4, ["1 2 3 4", "2 3 4 5"])
    elements = "\n".join(f"{i + 1} {kind} 2 7 7 {row}" for i, row in enumerate(rows))
    return (
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 .5\n5 2 2 2\n$EndNodes\n"
        f"$Elements\n2\n{elements}\n$EndElements\n"
    )


def _gmsh_41(dim: int) -> str:
    kind, rows = (2, ["1 2 3", "2 4 3"]) if dim == 2 else (4, ["1 2 3 4", "2 3 4 5"])
    elements = "\n".join(f"{i + 1} {row}" for i, row in enumerate(rows))
    return (
        f"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 5 1 5\n{dim} 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n"
        f"0 1 0\n1 1 .5\n2 2 2\n$EndNodes\n$Elements\n1 2 1 2\n{dim} 1 {kind} 2\n{elements}\n$EndElements\n"
    )


def _gmsh_22_binary(tagged: bool) -> bytes:
    # the reference takes files with few points or elements for truncated ones
    points = np.random.default_rng(0).normal(size=(12, 3)).tolist()
    tets = list(itertools.islice(itertools.combinations(range(1, 13), 4), 100))
    nodes = b"".join(struct.pack("<i3d", i + 1, *point) for i, point in enumerate(points))
    if tagged:
        elements = b"".join(struct.pack("<6i4i", 4, 1, 2, i + 1, 7, 7, *tet) for i, tet in enumerate(tets))
    else:
        elements = struct.pack("<3i", 4, 100, 0)
        elements += b"".join(struct.pack("<i4i", i + 1, *tet) for i, tet in enumerate(tets))
    return (
        b"$MeshFormat\n2.2 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n$Nodes\n12\n" + nodes
        + b"\n$EndNodes\n$Elements\n100\n" + elements + b"\n$EndElements\n"
    )


def _gmsh_41_binary() -> bytes:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.5]], float)
    nodes = struct.pack("<4Q3iQ", 1, 4, 1, 4, 2, 1, 0, 4) + np.arange(1, 5, dtype="<u8").tobytes() + points.tobytes()
    table = np.array([[1, 1, 2, 3], [2, 2, 4, 3]], "<u8")
    elements = struct.pack("<4Q3iQ", 1, 2, 1, 2, 2, 1, 2, 2) + table.tobytes()
    return (
        b"$MeshFormat\n4.1 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n$Nodes\n" + nodes
        + b"\n$EndNodes\n$Elements\n" + elements + b"\n$EndElements\n"
    )


@pytest.mark.reference
@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("text", [_gmsh_22, _gmsh_41])
def test_gmsh(tmp_path: Path, text, dim: int) -> None:
    inside = f'<worldbody><flexcomp name="f" type="gmsh" file="f.msh" dim="{dim}" scale="1 2 3"/></worldbody>'
    m = _compare(_write(tmp_path, inside, f_msh=text(dim)))
    assert m.nflexelem == 2 and m.nflexvert == (4 if dim == 2 else 5)


@pytest.mark.reference
@pytest.mark.parametrize(("content", "number"),
                         [(_gmsh_41_binary(), 2), (_gmsh_22_binary(True), 100), (_gmsh_22_binary(False), 100)])
def test_gmsh_binary(tmp_path: Path, content: bytes, number: int) -> None:
    inside = '<worldbody><flexcomp name="f" type="gmsh" file="f.msh" radius=".001"/></worldbody>'
    assert _compare(_write(tmp_path, inside, f_msh=content)).nflexelem == number


@pytest.mark.plain
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello", "does not begin with"),
        (b"$MeshFormat\n3.0 0 8\n", "only 2.2 and 4.1"),
        (b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", "no section"),
        (b"$MeshFormat\n2.2 0 8\n$Nodes\n9\n1 0 0 0\n$EndNodes\n$Elements\n0\n$EndElements\n", "ends too early"),
        (b"$MeshFormat\n2.2 0 8\n$Nodes\nx\n$EndNodes\n$Elements\n0\n$EndElements\n", "not a number"),
        (b"$MeshFormat\n2.2 1 8\n$Nodes\n99999999\n$EndNodes\n$Elements\n0\n$EndElements\n", "ends too early"),
        (b"$MeshFormat\n4.1 1 8\n$Nodes\n$EndNodes\n$Elements\n$EndElements\n", "ends too early"),
        (_gmsh_22(2).replace("2 4 3", "2 9 3").encode(), "beyond its 5 points"),
        (_gmsh_41(2).replace("2 1 2 2\n", "2 1 4 2\n").encode(), "elements of type 4"),
    ],
)
def test_wrong_gmsh(content: bytes, message: str) -> None:
    inside = '<flexcomp name="f" type="gmsh" file="f.msh"/>'
    with pytest.raises(MjcfError, match=message):
        compile_string(f"<mujoco><worldbody>{inside}</worldbody></mujoco>", {"f.msh": content})


@pytest.mark.reference
@pytest.mark.parametrize("shape", ["dim='2'", "dim='3' origin='.3 .3 .3'", "dim='2' dof='trilinear'"])
def test_mesh(tmp_path: Path, shape: str) -> None:
    faces = ((1, 3, 2), (1, 2, 4), (2, 3, 4), (1, 4, 3), (5, 6, 7))  # the last repeats corners of others
    lines = ["v 0 0 0", "v 1 0 0", "v 0 1 0", "v 0 0 1", "v 0 0 0", "v 0 1 0", "v 1 0 0", "v 5 5 5"]
    lines += ["f {} {} {}".format(*face) for face in faces]
    contact = '<contact selfcollide="none"/>'
    inside = f'<worldbody><flexcomp name="f" type="mesh" file="f.obj" {shape}>{contact}</flexcomp></worldbody>'
    assert _compare(_write(tmp_path, inside, f_obj="\n".join(lines))).nflexvert == (5 if "origin" in shape else 4)


@pytest.mark.reference
@pytest.mark.parametrize("where", ['body="b" ', ""])
def test_an_attached_soft_body_keeps_its_name_and_loses_its_equality(tmp_path: Path, where: str) -> None:
    silken = CLOTH.replace("count", "material='silk' count")
    child = (
        '<mujoco><asset><material name="silk"/></asset><worldbody><body name="b" pos="0 0 1" euler="10 0 0"><joint/>'
        f'<geom size=".1"/>{silken}</body></worldbody></mujoco>'
    )
    path = _write(
        tmp_path,
        '<asset><model name="c" file="child.xml"/></asset><worldbody><frame pos="1 0 0" euler="0 90 0">'
        f'<attach model="c" {where}prefix="p_"/></frame></worldbody>',
        child_xml=child,
    )
    with pytest.warns(corten.MjcfWarning, match="stays behind"):
        m = _compare(path)
    assert m.names.as_dict()["flex"] == ["cloth"] and m.neq == 0


@pytest.mark.plain
def test_a_soft_body_that_is_not_attached_as_a_whole_is_told() -> None:
    child = f"<mujoco><worldbody>{CLOTH}</worldbody></mujoco>"  # one vertex stays with the child's world
    asset, where = '<asset><model name="c" file="child.xml"/></asset>', '<attach model="c" prefix="p_"/>'
    with pytest.warns(corten.MjcfWarning, match="not all of its bodies are attached"):
        compile_string(f"<mujoco>{asset}<worldbody>{where}</worldbody></mujoco>", {"child.xml": child})


REFUSED = {
    '<body><flexcomp name="f" count="3 3 1"/></body>': "needs a parent body with a name",
    '<replicate count="2"><body name="x"><flexcomp name="f" count="3 3 1"/></body></replicate>': "<replicate>",
    '<flexcomp count="3 3 1"/>': "needs attribute 'name'",
    '<flexcomp name="f" count="3 3"/>': "attribute 'count': expected 3 integers",
    '<flexcomp name="f" count="1000000 1000000 1000000" dim="3"/>': "asks for more than 100000 points",
    '<flexcomp name="f" count="1000000 1000000 1000000" type="box" rigid="true"/>': "asks for more than 100000 points",
    '<flexcomp name="f" count="1000000000 1 1" dim="1"/>': "asks for more than 100000 points",
    '<flexcomp name="f" count="300 300 1"/>': "asks for 90000 bodies, more than 65534",
    '<flexcomp name="f" count="0 3 1"/>': "attribute 'count': is too small",
    '<flexcomp name="f" count="1 3 3" type="box"/>': "attribute 'count': is too small",
    '<flexcomp name="f" count="1 1 1"/>': "attribute 'element': must not be empty",
    '<flexcomp name="f" count="3 3 1" dim="4"/>': "attribute 'dim': must be 1, 2 or 3",
    '<flexcomp name="f" count="3 3 1" radius="1"/>': "attribute 'spacing': must be at least",
    '<flexcomp name="f" count="3 3 1" mass="0"/>': "attribute 'mass': must be positive",
    '<flexcomp name="f" count="3 3 1" dof="2d"/>': "'2d' is not one of full, radial, trilinear, quadratic",
    '<flexcomp name="f" count="3 3 1"><pin id="9"/></flexcomp>': "<pin> attribute 'id': 9 is not between 0 and 8",
    '<flexcomp name="f" count="3 3 1"><pin range="1"/></flexcomp>': "<pin> attribute 'range': must hold pairs",
    '<flexcomp name="f" count="3 3 1"><pin grid="1 3"/></flexcomp>': "attribute 'grid': 3 is not between 0 and 2",
    '<flexcomp name="f" count="3 1 1" dim="1"><pin grid="1"/></flexcomp>': "is for grids of dimension 2 and 3",
    '<flexcomp name="f" count="3 3 1"><plugin plugin="x"/></flexcomp>': "plugins are not supported ('x')",
    '<flexcomp name="f" count="3 3 3" dof="trilinear" dim="3"/>': "need selfcollide='none'",
    '<flexcomp name="f" count="3 3 1"><edge stiffness="1"/></flexcomp>': "stiffness of edges is for dimension 1",
    '<flexcomp name="f" count="3 3 1"><elasticity young="1" poisson=".5"/></flexcomp>': "Poisson's ratio",
    '<flexcomp name="f" count="3 3 1"><contact condim="2"/></flexcomp>': "condim must be 1, 3, 4 or 6",
    '<flexcomp name="f" count="3 3 1"><elasticity elastic2d="bend"/><pin id="0"/></flexcomp>': "three joints",
    '<flexcomp name="f" count="3 3 1"><edge equality="true"/><elasticity elastic2d="stretch"/></flexcomp>': "both",
    '<flexcomp name="f" count="3 3 1" euler="90 0 0"><edge equality="vert"/></flexcomp>': "not in a plane",
    '<flexcomp name="f" count="3 3 1" material="silk"/>': "attribute 'material': unknown material 'silk'",
    '<flexcomp name="f" type="mesh"/>': "needs attribute 'file'",
    '<flexcomp name="f" type="mesh" file="nothing.obj"/>': "'nothing.obj' not found",
    '<flexcomp name="f" type="mesh" dim="3" file="f.obj"/>': "needs attribute 'origin'",
    '<flexcomp name="f" type="direct"/>': "needs attributes 'point' and 'element'",
    '<flexcomp name="f" count="9 9 1" dof="trilinear"><contact selfcollide="none"/><elasticity young="1"/></flexcomp>':
        "has an element without extent",
    f'<flexcomp name="f" type="direct" point="{FOLDED}" element="0 1"/>': "not a multiple of 3",
    f'<flexcomp name="f" type="direct" point="{FOLDED}" element="0 1 7"/>': "beyond its 4 points",
    f'<flexcomp name="f" type="direct" point="{FOLDED} 1" element="0 1 2"/>': "attribute 'point': holds 13 numbers",
    f'<flexcomp name="f" type="direct" point="{FOLDED}" element="0 1 1 1 2 3"/>': "repeats a vertex",
    CLOTH + '<flexcomp name="cloth" count="3 3 1" rigid="true"/>': "repeats the flex name 'cloth'",
    "</worldbody><deformable><flex body='world nobody' dim='1' element='0 1'/></deformable><worldbody>": "unknown body",
    "</worldbody><deformable><flex body='world world' dim='1' element='0 2'/></deformable><worldbody>": "beyond its 2",
    "</worldbody><deformable><flex body='world' dim='1' element='0 1'/></deformable><worldbody>": "too few vertices",
    "</worldbody><deformable><flex body='world world' element='0 1 2' vertex='0 0 0 1 0 0 0 1 0'/></deformable>"
    "<worldbody>": "names 2 bodies for 3 vertices",
    "</worldbody><deformable><flex name='r' body='world' element='0 1 2' vertex='0 0 0 1 0 0 0 1 0'/></deformable>"
    "<equality><flex flex='r'/></equality><worldbody>": "flex 'r' is rigid",
    "</worldbody><equality><flex flex='nothing'/></equality><worldbody>": "unknown flex 'nothing'",
    '<replicate count="2"><body name="v"><joint/><geom size="1"/></body></replicate></worldbody>'
    "<deformable><flex body='v world' dim='1' element='0 1'/></deformable><worldbody>": "bodies in a <replicate>",
}


@pytest.mark.plain
@pytest.mark.parametrize("inside", REFUSED)
def test_wrong_soft_body(inside: str) -> None:
    with pytest.raises(MjcfError) as caught:
        compile_string(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
    assert REFUSED[inside] in str(caught.value)


def test_a_soft_body_can_be_inspected_and_saved_but_not_simulated() -> None:
    m = corten.Model.from_xml_string(ONE)
    assert m.flex("cloth").vertnum == 16
    copy = corten.Model.from_bytes(m.to_bytes())
    assert copy.flex(0).name == "cloth" and np.array_equal(copy.flexedge_length0, m.flexedge_length0)
    d = corten.Data(m)
    states = np.zeros((1, 1 + m.nq + m.nv))
    calls = (
        lambda: corten.forward(m, d), lambda: corten.step(m, d), lambda: corten.inverse(m, d),
        lambda: corten.step1(m, d), lambda: corten.step2(m, d), lambda: corten.Batch(m, 2),
        lambda: corten.rollout(m, states, np.zeros((1, 3, 0))), lambda: corten.transition(m, d),
        lambda: corten.derivative.qacc(m, d),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(corten.SimulationError, match=r"soft bodies \(flex\) are not simulated yet; .* 'cloth'"):
            call()


def test_a_length_range_that_needs_a_simulation_is_refused() -> None:
    arm = '<body><joint name="j"/><geom size=".1"/></body></worldbody><actuator><muscle joint="j"/></actuator>'
    with pytest.raises(MjcfError, match=r"<muscle> .* soft bodies"):
        corten.Model.from_xml_string(f"<mujoco><worldbody>{CLOTH}{arm}</mujoco>")


def test_rest_lengths_follow_an_edit_of_the_model() -> None:
    from corten.model.setconst import set_const

    m = corten.Model.from_xml_string(ONE)
    before = m.flexedge_invweight0.copy()
    m.body_mass[1:] *= 2
    set_const(m)
    assert np.allclose(m.flexedge_invweight0, before / 2)


@pytest.mark.reference
def test_conform_compares_the_compile_stage_alone(tmp_path: Path) -> None:
    from corten.conformance import Settings, conform

    report = next(iter(conform([_write(tmp_path, f"<worldbody>{CLOTH}</worldbody>")], Settings())))
    assert report.status == "passed" and report.features == ("soft bodies",) and report.stages == ("compile",)
    assert "flex_elem" in {x.field for x in report.differences}


def test_the_command_line_refuses_to_simulate_one(tmp_path: Path, capsys) -> None:
    from corten.cli.main import main

    path = str(_write(tmp_path, f"<worldbody>{CLOTH}</worldbody>"))
    assert main(["info", path]) == 0 and "soft bodies" in capsys.readouterr().out
    assert main(["simulate", path]) == 2
    assert "not simulated yet" in capsys.readouterr().err

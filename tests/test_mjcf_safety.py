"""Hostile files: refused quickly, with the usual error, and without reading anything that was not named."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from corten.mjcf import MjcfError, compile_path, compile_string

pytestmark = pytest.mark.plain

BOMB = (
    '<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    + "]><mujoco><custom><text name='t' data='&j;'/></custom></mujoco>"
)

HOSTILE = {
    "entity bomb": (BOMB, "declarations are not allowed"),
    "external entity": (
        '<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/hostname">]><mujoco model="m">&x;</mujoco>',
        "declarations are not allowed",
    ),
    "external DTD": ('<!DOCTYPE m SYSTEM "http://localhost/m.dtd"><mujoco/>', "declarations are not allowed"),
    "undeclared entity": ('<mujoco><custom><text name="t" data="&x;"/></custom></mujoco>', "invalid XML"),
    "deep nesting": (f"<mujoco><worldbody>{'<body>' * 600}{'</body>' * 600}</worldbody></mujoco>", "nested deeper"),
    "very deep nesting": (f"<mujoco>{'<body>' * 100_000}{'</body>' * 100_000}</mujoco>", "invalid XML|cannot hold"),
    "unclosed": ("<mujoco><worldbody>", "invalid XML"),
    "empty": ("", "invalid XML"),
    "not XML": ("hello", "invalid XML"),
    "null character": ("<mujoco model='a\0b'/>", "invalid XML"),
    "another format": ('<robot name="r"/>', "expected <mujoco> as root element, found <robot>"),
    "repeated attribute": ('<mujoco model="a" model="b"/>', "invalid XML"),
    "huge count": (
        '<mujoco><worldbody><replicate count="2147483647"><site/></replicate></worldbody></mujoco>', "above",
    ),
    "huge field": (
        '<mujoco><asset><hfield name="h" nrow="2000000" ncol="2000000" size="1 1 1 1"/></asset></mujoco>', "too large",
    ),
}

JOINT = '<worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>'
GREEDY = {
    "keyframes": '<size nkey="2000000000"/>',
    "many keyframes": '<size nkey="20000000"/>',
    "user values": '<size nuserdata="2000000000"/>',
    "values of bodies": '<size nuser_body="40000000"/>',
    "sensor": '<sensor><user dim="2000000000"/></sensor>',
    "buffer": '<actuator><motor joint="j" delay="1" nsample="2000000000"/></actuator>',
    "activations": '<actuator><general joint="j" dyntype="user" actdim="2000000000"/></actuator>',
    "rays": '<worldbody><camera name="c" resolution="100000 100000"/></worldbody>'
            '<sensor><rangefinder camera="c"/></sensor>',
}


@pytest.mark.parametrize("name", GREEDY)
def test_absurd_sizes_are_refused(name: str) -> None:
    with pytest.raises(MjcfError):
        compile_string(f"<mujoco>{JOINT}{GREEDY[name]}</mujoco>")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_is_refused_quickly(name: str) -> None:
    xml, message = HOSTILE[name]
    start = time.process_time()
    with pytest.raises(MjcfError, match=message):
        compile_string(xml)
    assert time.process_time() - start < 2


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_bytes(bytes(range(256)) * 10)
    with pytest.raises(MjcfError, match="invalid XML"):
        compile_path(path)


def test_include_of_itself_and_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text('<mujoco><include file="b.xml"/></mujoco>')
    (tmp_path / "b.xml").write_text('<mujoco><include file="a.xml"/></mujoco>')
    with pytest.raises(MjcfError, match=r"b\.xml:1: <include> file 'a\.xml' is already included"):
        compile_path(tmp_path / "a.xml")


def test_models_that_name_each_other(tmp_path: Path) -> None:
    for a, b in (("a", "b"), ("b", "a")):
        (tmp_path / f"{a}.xml").write_text(f'<mujoco><asset><model name="{b}" file="{b}.xml"/></asset></mujoco>')
    with pytest.raises(MjcfError, match="models are nested deeper"):
        compile_path(tmp_path / "a.xml")


def test_deep_but_allowed_nesting() -> None:
    depth = 480
    inner = '<body pos="0 0 1"><geom size="1"/>' * depth
    model = compile_string(f"<mujoco><worldbody>{inner}{'</body>' * depth}</worldbody></mujoco>")
    assert model.sizes["nbody"] == depth + 1


def test_comments_as_files_in_the_wild_have_them() -> None:
    start = '<!-- a -- b --><?xml version="1.0"?>\n<mujoco><!-- --- <geom/> -->'
    xml = start + '<worldbody>\n<geom size="x"/></worldbody></mujoco>'
    with pytest.raises(MjcfError, match=r"^<string>:3: "):
        compile_string(xml)

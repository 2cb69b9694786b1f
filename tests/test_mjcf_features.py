"""Small models, one feature each, compile to the reference's numbers and names."""

from __future__ import annotations

from pathlib import Path

import pytest
from mjcf_cases import ATTACHMENTS, CHILD, FEATURES, KEYS_AND_REPLICAS, WORLD
from mjcf_compare import DYNAMIC, differences, without_cache

import corten
from corten.mjcf import compile_path, compile_string

pytestmark = [pytest.mark.reference, pytest.mark.plain]

KINDS = {
    "body": "nbody", "joint": "njnt", "geom": "ngeom", "site": "nsite", "camera": "ncam", "light": "nlight",
    "flex": "nflex", "mesh": "nmesh", "hfield": "nhfield", "material": "nmat", "pair": "npair", "exclude": "nexclude",
    "equality": "neq", "tendon": "ntendon", "actuator": "nu", "sensor": "nsensor", "numeric": "nnumeric",
    "text": "ntext", "tuple": "ntuple", "key": "nkey",
}
OBJECT_NAMES = {"body": 1, "joint": 3, "geom": 5, "site": 6, "camera": 7, "light": 8, "flex": 9, "mesh": 10,
                "hfield": 12, "material": 14, "pair": 15, "exclude": 16, "equality": 17, "tendon": 18, "actuator": 19,
                "sensor": 20, "numeric": 21, "text": 22, "tuple": 23, "key": 24}


def check(xml: str, assets: dict[str, bytes] | None = None, skip: frozenset[str] = frozenset()) -> None:
    import mujoco

    without_cache()
    theirs = mujoco.MjModel.from_xml_string(xml, assets)
    ours = compile_string(xml, assets)
    assert differences(ours, theirs, DYNAMIC | skip) == []
    for kind, size in KINDS.items():
        names = [mujoco.mj_id2name(theirs, OBJECT_NAMES[kind], i) or "" for i in range(getattr(theirs, size))]
        assert ours.names[kind] == names, kind


@pytest.mark.parametrize("feature", FEATURES, ids=range(len(FEATURES)))
def test_feature(feature: str) -> None:
    check(f"<mujoco>{WORLD}{feature}</mujoco>")


@pytest.mark.parametrize("where", ATTACHMENTS, ids=range(len(ATTACHMENTS)))
def test_attach(where: str) -> None:
    asset = '<asset><model name="child" file="child.xml"/></asset>'
    # the reference forgets controls of an attached keyframe when the attachment is replicated; so do we
    check(f"<mujoco>{asset}<worldbody>{where}</worldbody></mujoco>", {"child.xml": CHILD})


def test_attach_a_whole_world_as_a_body() -> None:
    child = b'''<mujoco><worldbody><geom name="ground" size="1"/>
      <body name="b" pos="1 0 0"><joint/><geom size=".1"/></body></worldbody></mujoco>'''
    where = '<body name="w" pos="0 1 0"><attach model="child" body="world" prefix="p_"/></body>'
    asset = '<asset><model name="child" file="child.xml"/></asset>'
    check(f"<mujoco>{asset}<worldbody>{where}</worldbody></mujoco>", {"child.xml": child})


def test_keyframe_of_a_replicated_model() -> None:
    check(f"<mujoco>{KEYS_AND_REPLICAS}</mujoco>")


def test_attached_body_leaves_its_frame_behind() -> None:
    child = b'''<mujoco><worldbody><frame pos="1 2 3" euler="10 20 30"><body name="b" pos="1 0 0"><joint/>
      <geom size="1"/></body></frame></worldbody><keyframe><key time="3" qpos="4"/></keyframe></mujoco>'''
    where = '<frame pos="0 1 0" euler="0 0 9"><attach model="child" body="b" prefix="p_"/></frame>'
    asset = '<asset><model name="child" file="child.xml"/></asset>'
    check(f"<mujoco>{asset}<worldbody>{where}</worldbody></mujoco>", {"child.xml": child})
    whole = '<attach model="child" prefix="p_"/>'
    check(f"<mujoco>{asset}<worldbody>{whole}</worldbody></mujoco>", {"child.xml": child})


def test_keyframe_of_nested_replicas() -> None:
    body = '<body name="b"><joint name="j"/><geom size=".1"/></body>'
    outer = f'''<replicate count="2" offset="0 2 0"><body name="o"><geom size=".1"/>
      <replicate count="2" offset="1 0 0">{body}</replicate></body></replicate>'''
    check(f'<mujoco><worldbody>{outer}</worldbody><keyframe><key name="k" qpos="1"/></keyframe></mujoco>')


@pytest.mark.filterwarnings("ignore:.*expected . values:corten.mjcf.MjcfWarning")
@pytest.mark.parametrize(
    "key", ['qpos="1"', 'qpos="1 0 2"', 'qvel="1"', 'act="1"', 'ctrl="1 2"', 'mpos="1 2 3 4"', 'mquat="0 2 0 0 1"',
            'mquat="0 0 0 0 0 0 0 3"']
)  # fmt: skip
def test_short_keyframe(key: str) -> None:
    check(
        '<mujoco><worldbody><body><joint name="a" type="slide"/><joint type="ball"/><geom size="1"/></body>'
        '<body pos="1 2 3"><freejoint/><geom size="1"/></body><body><joint ref="30"/><geom size="1"/></body>'
        '<body mocap="true" pos="3 3 3"/><body mocap="true" pos="4 4 4" quat="0 1 0 0"/></worldbody>'
        '<actuator><general joint="a" dyntype="filter"/><motor joint="a"/><general joint="a" dyntype="filter"/>'
        f"</actuator><keyframe><key {key}/></keyframe></mujoco>"
    )


def test_moments_of_shapes_are_the_reference_s_to_the_last_bit() -> None:
    """Two of them on an axis have two equal moments, whose axes hang on it."""
    import mujoco

    shapes = ("sphere", "capsule", "cylinder", "ellipsoid", "box")
    bodies = "".join(
        f'<body><geom type="{shape}" size=".{n}3 .{n + 1}7 .{n + 2}11" shellinertia="{shell}" {mass}/></body>'
        for shape in shapes for shell in ("true", "false") for mass in ("", 'mass="1.3"') for n in range(1, 8)
    )
    xml = f"<mujoco><worldbody>{bodies}</worldbody></mujoco>"
    ours, theirs = corten.Model._finished(compile_string(xml)), mujoco.MjModel.from_xml_string(xml)
    assert ours.body_mass.tolist() == theirs.body_mass.tolist()
    assert ours.body_inertia.tolist() == theirs.body_inertia.tolist()


FUSED = """<compiler fusestatic="true"/><worldbody><geom name="g0" size=".1"/><site name="s0"/>
  <body name="a"><joint name="ja"/><geom name="ga" size=".1"/><site name="sa" pos="1 0 0"/></body>
  <body name="st"><geom name="gs1" size=".1"/><geom name="gs2" size=".1"/><site name="ss1"/><site name="ss2"/></body>
  <body name="b"><joint name="jb"/><geom name="gb" size=".1"/><site name="sb" pos="2 0 0"/></body>
  <body name="c"><joint name="jc"/><geom name="gc" size=".1"/><site name="sc" pos="0 2 0"/></body></worldbody>"""


@pytest.mark.filterwarnings("ignore:.*bodies are fused:corten.mjcf.MjcfWarning")
@pytest.mark.parametrize("link", [
    '<contact><pair geom1="ga" geom2="gb"/><pair geom1="gc" geom2="gs1"/></contact>',
    '<sensor><framepos objtype="geom" objname="ga" reftype="site" refname="sa"/><accelerometer site="ss1"/></sensor>',
    '<tendon><spatial><site site="sa"/><geom geom="ga" sidesite="sa"/><site site="sb"/></spatial></tendon>',
    '<actuator><motor site="sb" refsite="sa"/><motor cranksite="sa" slidersite="sb" cranklength="1"/></actuator>',
    '<equality><weld site1="sa" site2="sc"/></equality>',
    '<custom><tuple name="t"><element objtype="geom" objname="ga"/><element objtype="site" objname="sa"/></tuple>'
    "</custom>",
])  # fmt: skip
def test_fused_models_keep_the_old_numbers_of_geoms_and_sites(link: str) -> None:
    check(f"<mujoco>{FUSED}{link}</mujoco>")


@pytest.mark.parametrize("name", ["s0", "s3", "s5", "s6", "m"])
def test_which_bodies_are_fused(name: str) -> None:
    bodies = "".join(f'<body name="s{i}"><geom size=".1"/></body><body><site/></body>' for i in range(7))
    moving = '<body name="m"><joint/><geom size="1"/></body>'
    check(f'''<mujoco><compiler fusestatic="true"/><worldbody>{bodies}{moving}</worldbody>
      <contact><exclude body1="{name}" body2="world"/></contact></mujoco>''')


def test_controls_of_keys_and_replicas() -> None:
    own = '<worldbody><body><joint name="o"/><geom size="1"/></body></worldbody><actuator><motor joint="o"/></actuator>'
    replicas = '<worldbody><replicate count="2"><geom size=".1"/></replicate></worldbody>'
    key = '<keyframe><key name="k" qpos="7" ctrl="8"/></keyframe>'
    check(f"<mujoco>{own}{replicas}{key}</mujoco>")
    check(f"<mujoco>{own}{replicas}{replicas}{key}</mujoco>")
    child = f"<mujoco>{own}{key}</mujoco>".replace("<body>", '<body name="b">').encode()
    asset = '<asset><model name="c" file="c.xml"/></asset>'
    attached = '<worldbody><attach model="c" body="b" prefix="p_"/></worldbody>'
    check(f"<mujoco>{asset}{attached}{replicas}</mujoco>", {"c.xml": child})
    check(f"<mujoco>{asset}{replicas}{attached}</mujoco>", {"c.xml": child})


def test_links_whose_names_fit_are_copied_with_replicas() -> None:
    check('''<mujoco><worldbody>
      <body><joint name="j"/><geom size="1"/><body><joint name="j1"/><geom size="1"/></body></body>
      <replicate count="3"><site name="s"/></replicate></worldbody><actuator><motor name="m" joint="j"/></actuator>
      </mujoco>''')


def test_text_keeps_its_lines() -> None:
    check('<mujoco><custom><text\n name="n"\n data="a\n\tb\r\nc &amp; d"/>\n</custom></mujoco>')


def test_empty_model() -> None:
    check("<mujoco/>")
    check('<mujoco model="nothing"><worldbody/></mujoco>')


def test_includes(tmp_path: Path) -> None:
    import mujoco

    (tmp_path / "parts" / "deep").mkdir(parents=True)
    (tmp_path / "parts" / "arm.xml").write_text(
        '<mujocoinclude><geom size="1"/><include file="deep/hand.xml"/></mujocoinclude>'
    )
    (tmp_path / "parts" / "deep" / "hand.xml").write_text("<x><site/><body><geom size='2'/></body></x>")
    main = tmp_path / "main.xml"
    main.write_text('<mujoco><worldbody><include file="parts/arm.xml"/><site/></worldbody></mujoco>')

    assert differences(compile_path(main), mujoco.MjModel.from_xml_path(str(main))) == []

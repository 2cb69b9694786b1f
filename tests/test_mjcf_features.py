"""Small models, one feature each, compile to the reference's numbers and names."""

from __future__ import annotations

from pathlib import Path

import pytest
from mjcf_cases import ATTACHMENTS, CHILD, FEATURES, KEYS_AND_REPLICAS, WORLD
from mjcf_compare import DYNAMIC, differences, without_cache

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

"""Cameras and lights in all modes."""

from __future__ import annotations

import numpy as np
import pytest
from mechanism import loaded, mechanism

import corten

FIELDS = ("cam_xpos", "cam_xmat", "light_xpos", "light_xdir")


@pytest.mark.reference
@pytest.mark.parametrize("seed", range(3))
def test_all_modes_as_in_the_reference(seed: int) -> None:
    twins = loaded(mechanism(), seed)
    twins.forward()
    twins.assert_agree(FIELDS, 1e-12)


def test_a_targeting_camera_sees_its_target_in_the_middle() -> None:
    xml = mechanism('<camprojection site="at" camera="eye"/>').replace(
        "<worldbody>",
        """<worldbody><camera name="eye" pos="1 2 3" mode="targetbody" target="seen" resolution="200 100"/>
        <body name="seen" pos="-1 .5 .2"><geom size=".1"/><site name="at"/></body>""",
    )
    m = corten.Model.from_xml_string(xml)
    d = corten.Data(m)
    corten.forward(m, d)
    np.testing.assert_allclose(d.sensordata, [100, 50], atol=1e-10)

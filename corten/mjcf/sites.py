"""Sites, cameras and lights: what is attached to bodies without mass or contact."""

from __future__ import annotations

from math import atan2, pi

import numpy as np

from corten.mjcf.frames import from_ends, given_orientation, placed
from corten.mjcf.geoms import SIZE_COUNT, WITH_ENDS
from corten.mjcf.rotation import EPS, IDENTITY, norm, normalised, rotate
from corten.mjcf.spec import Camera, Light, Site, Spec
from corten.model.enums import GeomType


def compile_site(site: Site) -> None:
    """Compute what the model holds of one site."""
    v = site.values
    kind = site.type = v["type"]
    if kind in (GeomType.PLANE, GeomType.HFIELD, GeomType.MESH):
        site.fail("cannot be a plane, a height field or a mesh", "type")
    ends = from_ends(site, WITH_ENDS, kind, v["size"])
    if ends is None:
        pose, site.size = (v["pos"], given_orientation(v, site.element, site.settings)), v["size"]
    else:
        pose, site.size = ends
    site.pos, site.quat = placed(site, *pose)
    for number in range(SIZE_COUNT.get(kind, 0)):
        if site.size[number] <= 0:
            site.fail(f"size {number + 1} must be positive", "size")


def compile_camera(spec: Spec, camera: Camera) -> None:
    """Compute what the model holds of one camera."""
    v = camera.values
    camera.pos, camera.quat = placed(camera, v["pos"], given_orientation(v, camera.element, camera.settings))
    camera.fovy = v["fovy"]
    if camera.fovy >= 180:
        camera.fail("must be less than 180", "fovy")
    if not min(v["sensorsize"]) > 0 and any(any(v[n]) for n in ("focal", "focalpixel", "principal", "principalpixel")):
        camera.fail("focal lengths and principal point need a positive 'sensorsize'")
    # the reference computes intrinsics in single precision
    size = np.array(v["sensorsize"], np.float32)
    if min(size) > 0:
        if min(v["resolution"]) <= 0:
            camera.fail("must be positive with a 'sensorsize'", "resolution")
        density = np.array(v["resolution"], np.float32) / size
        focal, principal = (_lengths(v[name], v[f"{name}pixel"], density) for name in ("focal", "principal"))
        camera.intrinsic = (*focal, *principal)
        camera.fovy = float(np.float32(atan2(float(size[1]) / 2, float(focal[1])))) * 360 / pi
    else:
        camera.intrinsic = (spec.znear, spec.znear, 0.0, 0.0)


def _lengths(lengths: tuple[float, ...], pixels: tuple[float, ...], density: np.ndarray) -> np.ndarray:
    """Lengths given as such or in pixels, which win."""
    inverse = np.array(pixels, np.float32) / density
    return np.where(inverse != 0, inverse, np.array(lengths, np.float32))


def compile_light(light: Light) -> None:
    """Compute what the model holds of one light."""
    direction = light.values["dir"]
    if light.frame is not None:
        direction = rotate(light.frame[1], direction)
    if norm(direction) < EPS:
        light.fail("must not be zero", "dir")
    light.dir = normalised(direction)
    light.pos, _ = placed(light, light.values["pos"], IDENTITY)

"""Coefficients of the ellipsoid fluid model: drag and lift as given, added mass and inertia from the shape.

The added mass of an ellipsoid in potential flow follows Lamb, Hydrodynamics, art. 114; its integrals

    kappa_x = dx dy dz integral_0^inf dl / sqrt((dx^2 + l)^3 (dy^2 + l) (dz^2 + l))

are taken with the 15-point Kronrod rule after the substitution l = s x^3 / (1 - x)^2, as in the reference, whose
rounded nodes are part of its numbers.
"""

from __future__ import annotations

from math import pi

import numpy as np

from corten.mjcf.rotation import EPS, Vector
from corten.model.enums import GeomType

NONE = (0.0,) * 12

# weights of the rule, nodes l at s = 1, and dl/dx there
_WEIGHTS = np.array([
    0.01146766, 0.03154605, 0.05239501, 0.07032663, 0.08450236, 0.09517529, 0.10221647, 0.10474107,
    0.10221647, 0.09517529, 0.08450236, 0.07032663, 0.05239501, 0.03154605, 0.01146766,
])
_NODES = np.array([
    7.865151709349917e-08, 1.7347976913907274e-05, 0.0003548008144506193, 0.002846636252924549, 0.014094260903596077,
    0.053063261727396636, 0.17041978741317773, 0.5, 1.4036301548686991, 3.9353484827022642, 11.644841677041734,
    39.53187807410903, 177.5711362220801, 1429.4772912937397, 54087.416549217705,
])
_SLOPES = np.array([
    5.538677720489877e-05, 0.002080868285293228, 0.016514126520723166, 0.07261900344370877, 0.23985243401862602,
    0.6868318249020725, 1.8551129519182894, 5.0, 14.060031152313941, 43.28941239611009, 156.58546376397112,
    747.9826085305024, 5827.4042950027115, 116754.0197944512, 25482945.327264845,
])


def _kappa(dx: float, dy: float, dz: float) -> float:
    scale = (dx**3 * dy * dz) ** 0.4
    length = scale * _NODES
    x, y, z = 1 + length / dx**2, 1 + length / dy**2, 1 + length / dz**2
    return float(np.sum(scale * _SLOPES * _WEIGHTS / (x * np.sqrt(x * y * z)))) / dx**2


def semiaxes(kind: int, size: Vector) -> Vector:
    """Semi-axes of the ellipsoid that stands for a shape."""
    if kind == GeomType.SPHERE:
        return (size[0], size[0], size[0])
    if kind == GeomType.CAPSULE:
        return (size[0], size[0], size[1] + size[0])
    if kind == GeomType.CYLINDER:
        return (size[0], size[0], size[1])
    return size


def coefficients(kind: int, size: Vector, given: tuple[float, ...]) -> tuple[float, ...]:
    """The twelve values of `geom_fluid`: on, five coefficients as given, added mass, added inertia."""
    d = semiaxes(kind, size)
    volume = 4.0 / 3.0 * pi * d[0] * d[1] * d[2]
    k = [_kappa(d[i], d[(i + 1) % 3], d[(i + 2) % 3]) for i in range(3)]
    mass = [volume * k[i] / max(EPS, 2 - k[i]) for i in range(3)]
    inertia = []
    for i in range(3):
        j, m = (i + 1) % 3, (i + 2) % 3
        difference = d[j] ** 2 - d[m] ** 2
        total = d[j] ** 2 + d[m] ** 2
        ratio = difference**2 * abs(k[m] - k[j]) / max(EPS, abs(2 * difference + total * (k[j] - k[m])))
        inertia.append(volume * ratio / 5)
    return (1.0, *given, *mass, *inertia)

"""Principal axes: against the reference's full inertia matrices, and against the definition."""

import numpy as np
import pytest

from corten.mjcf.assets.eig3 import diagonalise, rotation_matrix

pytestmark = [pytest.mark.reference, pytest.mark.plain]


def reference(matrix):
    import mujoco

    m = np.asarray(matrix, float)
    six = [m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]]
    text = " ".join(repr(float(x)) for x in six)
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><body><freejoint/>"
        f"<inertial pos='0 0 0' mass='1' fullinertia='{text}'/></body></worldbody></mujoco>"
    )
    return model.body_inertia[1], model.body_iquat[1]


def assert_matches(matrix):
    expected_values, expected_quat = reference(matrix)
    values, quat = diagonalise(matrix)
    np.testing.assert_allclose(values, expected_values, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(quat, expected_quat, rtol=0, atol=1e-12)


def random_inertia(rng, scale=1.0):
    """Inertia of random points, so that the triangle inequality holds."""
    points = rng.normal(size=(8, 3)) * rng.uniform(0.2, 2, 3) * scale
    moment = points.T @ points
    return np.trace(moment) * np.eye(3) - moment


@pytest.mark.parametrize("scale", [1.0, 1e-2, 1e-4, 30.0])
def test_random_inertia_matches_reference(scale):
    rng = np.random.default_rng(3)
    for _ in range(40):
        assert_matches(random_inertia(rng, scale))


@pytest.mark.parametrize(
    "matrix",
    [
        np.diag([1.0, 2.0, 2.5]),
        np.diag([2.5, 2.0, 1.0]),
        np.diag([2.0, 1.5, 2.0]),
        np.diag([1.0, 1.0, 1.0]),
        np.diag([1.0, 1.5, 1.5]),
        np.eye(3) - 0.1 * (np.ones((3, 3)) - np.eye(3)),  # three equal off-diagonal entries
        np.eye(3) + 0.1 * (np.ones((3, 3)) - np.eye(3)),
        np.array([[2, 0.3, 0.3], [0.3, 2, 0], [0.3, 0, 2]]),
        np.array([[1, 0.2, 0], [0.2, 1, 0], [0, 0, 1.5]]),
    ],
    ids=range(9),
)
def test_ties_break_as_in_reference(matrix):
    assert_matches(matrix)


def test_definition():
    matrix = random_inertia(np.random.default_rng(0))
    values, quat = diagonalise(matrix)
    axes = rotation_matrix(quat)
    # the reference stops turning at a cosine within 1e-12 of one: axes are exact to about 1e-6 only
    np.testing.assert_allclose(axes @ np.diag(values) @ axes.T, matrix, atol=1e-5 * values[0])
    assert np.linalg.det(axes) == pytest.approx(1)
    assert values[0] >= values[1] >= values[2]

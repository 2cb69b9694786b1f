"""Balance the cart-pole with a linear-quadratic regulator from exact derivatives of the dynamics."""

import numpy as np
from scipy.linalg import solve_discrete_are

import corten
from corten import models


def regulator(m: corten.Model, d: corten.Data) -> np.ndarray:
    """The feedback gain at the state of `d`: linearise, discretise, solve the Riccati equation."""
    dqpos, dqvel, dctrl = corten.derivative.qacc(m, d)
    h, eye = m.opt.timestep, np.eye(m.nv)
    # Semi-implicit Euler: v' = v + h a(q, v, u), q' = q + h v'.
    bottom = np.hstack([h * dqpos, eye + h * dqvel])
    a = np.vstack([np.hstack([eye, 0 * eye]) + h * bottom, bottom])
    b = np.vstack([h * h * dctrl, h * dctrl])
    cost, effort = np.diag([1.0, 10.0, 0.1, 0.1]), 0.1 * np.eye(m.nu)
    p = solve_discrete_are(a, b, cost, effort)
    return np.linalg.solve(effort + b.T @ p @ b, b.T @ p @ a)


def balance(angle: float, seconds: float = 4.0) -> float:
    """Start with the pole leaning by `angle`, steer, and return what is left of the angle."""
    m = corten.Model.from_xml_path(models.path("cartpole"))
    d = corten.Data(m)
    corten.forward(m, d)
    gain = regulator(m, d)
    d.qpos[1] = angle
    for _ in range(round(seconds / m.opt.timestep)):
        d.ctrl[:] = -gain @ np.concatenate([d.qpos, d.qvel])
        corten.step(m, d)
    return abs(float(d.qpos[1]))


if __name__ == "__main__":
    for angle in (0.05, 0.1, 0.2):
        print(f"a lean of {angle} rad is {balance(angle):.1e} rad after 4 s")

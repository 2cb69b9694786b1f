"""256 cart-poles at once: a search for the linear policy that keeps the pole up longest."""

import numpy as np

import corten
from corten import models

WORLDS, STEPS = 256, 400


def survival(policies: np.ndarray) -> np.ndarray:
    """Steps for which each policy (one world each) keeps the pole within 0.5 rad and the cart on the rail."""
    m = corten.Model.from_xml_path(models.path("cartpole"))
    b = corten.Batch(m, len(policies))
    b.qpos[:, 1] = 0.1
    alive, steps = np.ones(len(policies), bool), np.zeros(len(policies), int)
    for _ in range(STEPS):
        state = np.hstack([b.qpos, b.qvel])
        b.ctrl[:, 0] = np.sum(policies * state, axis=1)  # clipped to the control range by the engine
        b.step(1)
        alive &= (np.abs(b.qpos[:, 1]) < 0.5) & (np.abs(b.qpos[:, 0]) < 1.8)
        steps += alive
    return steps


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    mean, spread = np.zeros(4), np.full(4, 2.0)
    for generation in range(8):
        policies = mean + spread * rng.normal(size=(WORLDS, 4))
        steps = survival(policies)
        best = policies[np.argsort(steps)[-WORLDS // 8 :]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.05
        print(f"generation {generation}: median {np.median(steps):.0f} of {STEPS} steps, best {steps.max()}")

"""Random mechanisms: trees of bodies with every kind of joint, springs, dampers, motors, and sometimes a floor."""

from __future__ import annotations

import numpy as np
from elements import position_seeds

SHAPES = {"sphere": 1, "capsule": 2, "box": 3, "cylinder": 2, "ellipsoid": 3}


def numbers(values: np.ndarray) -> str:
    """Numbers as MJCF writes them."""
    return " ".join(f"{v:.6g}" for v in np.atleast_1d(values))


def random_mjcf(seed: int, bodies: int = 8, floor: bool = False, options: str = "") -> str:
    """A model that depends on the seed alone."""
    rng = np.random.default_rng(seed)
    children: dict[int, list[int]] = {i: [] for i in range(bodies + 1)}
    for b in range(1, bodies + 1):
        children[int(rng.integers(max(0, b - 3), b))].append(b)
    joints: list[str] = []

    def body(b: int, depth: int) -> str:
        shape = str(rng.choice(list(SHAPES)))
        size = rng.uniform(0.04, 0.12, SHAPES[shape])
        parts = [
            f'<body pos="{numbers(rng.normal(size=3) * 0.25 + [0, 0, 0.6 if depth == 0 else 0])}" '
            f'euler="{numbers(rng.uniform(-90, 90, 3))}">'
        ]
        kinds = ["free"] if depth == 0 and rng.random() < 0.5 else random_joints(rng, depth)
        for kind in kinds:
            name = f"j{len(joints)}"
            if kind == "free":
                parts.append(f'<freejoint name="{name}"/>')
            else:
                attributes = f'name="{name}" type="{kind}" pos="{numbers(rng.normal(size=3) * 0.05)}" '
                if kind != "ball":
                    attributes += f'axis="{numbers(rng.normal(size=3))}" '
                attributes += (
                    f'damping="{rng.uniform(0, 0.3):.4g}" stiffness="{rng.choice([0.0, 2.0])}" armature="0.01"'
                )
                parts.append(f"<joint {attributes}/>")
            joints.append(name)
        parts.append(
            f'<geom type="{shape}" size="{numbers(size)}" pos="{numbers(rng.normal(size=3) * 0.05)}" '
            f'euler="{numbers(rng.uniform(-90, 90, 3))}" density="{rng.uniform(300, 2000):.4g}"/>'
        )
        parts.append(f'<site pos="{numbers(rng.normal(size=3) * 0.1)}"/>')
        parts += [body(c, depth + 1) for c in children[b]]
        return "".join([*parts, "</body>"])

    tree = "".join(body(b, 0) for b in children[0])
    chosen = [j for j in joints if rng.random() < 0.6]
    motors = "".join(f'<motor joint="{j}" gear="{numbers(rng.uniform(-2, 2, 6))}"/>' for j in chosen)
    ground = '<geom type="plane" size="5 5 1"/>' if floor else ""
    return (
        f'<mujoco><option timestep="0.002" {options}/><worldbody>{ground}{tree}</worldbody>'
        f"<actuator>{motors}</actuator></mujoco>"
    )


def random_joints(rng: np.random.Generator, depth: int) -> list[str]:
    """The joints of one body."""
    kinds = [["hinge"], ["slide"], ["ball"], ["hinge", "hinge"], ["slide", "hinge"], ["hinge", "ball"], []]
    return list(kinds[int(rng.integers(0, len(kinds) - (depth == 0)))])


def randomise(m, d, rng: np.random.Generator) -> None:
    """A random state and random inputs."""
    d.qpos[:] += position_seeds(m, d.qpos) @ (0.4 * rng.normal(size=m.nv))
    d.qvel[:] = rng.normal(size=m.nv)
    d.ctrl[:] = rng.uniform(-1, 1, m.nu)
    d.qfrc_applied[:] = 0.1 * rng.normal(size=m.nv)
    d.xfrc_applied[1:] = 0.1 * rng.normal(size=(m.nbody - 1, 6))

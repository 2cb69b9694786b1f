"""A force of one's own: a kernel that blows wind at every body, called before each step.

Run it with CORTEN_JIT=0 and the kernel, like the whole engine, is plain Python that a debugger can step through.
"""

import sys

import corten
from corten import models
from corten.kernel import kernel

WIND = 2.0  # metres per second along x
DRAG = 1.5  # newtons per metre per second, on each body


@kernel
def blow(m, d, wind):
    """xfrc_applied of each body = DRAG (wind - velocity of the tree's centre of mass) along x."""
    for b in range(1, m.nbody):
        d.xfrc_applied[b, 0] = DRAG * (wind - d.cvel[b, 3])


def drift(steps: int) -> float:
    """How far the wind has carried the quadruped along x."""
    m = corten.Model.from_xml_path(models.path("quadruped"))
    d = corten.Data(m)
    corten.reset(m, d, keyframe="stand")
    for _ in range(steps):
        blow(m, d, WIND)
        corten.step(m, d)
    return float(d.qpos[0])


if __name__ == "__main__":
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    print(f"after {steps} steps the wind has carried it {drift(steps):.3f} m")

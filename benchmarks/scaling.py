"""Cost against the number of worlds and against the number of trees: both should be linear."""

from __future__ import annotations

import corten
from corten import models
from corten.cli.benchmark.timing import best_of

STEPS = 50

ARM = """
<body name="a{i}" pos="{x} 0 1">
  <joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.3" size=".03" contype="0" conaffinity="0"/>
  <body name="b{i}" pos="0 0 -.3">
    <joint axis="1 0 0"/><geom type="capsule" fromto="0 0 0 0 0 -.3" size=".03" contype="0" conaffinity="0"/>
  </body>
</body>
"""


def worlds() -> None:
    m = corten.Model.from_xml_path(models.path("humanoid"))
    for count in (8, 64, 512, 2048):
        batch = corten.Batch(m, count)
        batch.step(1)
        best = best_of({"step": lambda b=batch: b.step(STEPS)}, repetitions=5)["step"]
        print(f"{count:6} worlds {1e6 * best / (count * STEPS):8.3f} us per world and step")


def trees() -> None:
    for count in (1, 8, 64, 256):
        arms = "".join(ARM.format(i=i, x=i) for i in range(count))
        m = corten.Model.from_xml_string(f"<mujoco><worldbody>{arms}</worldbody></mujoco>")
        d = corten.Data(m)
        corten.step(m, d)
        best = best_of({"step": lambda m=m, d=d: corten.step(m, d, STEPS)}, repetitions=5)["step"]
        print(f"{count:6} trees  {1e6 * best / (count * STEPS):8.3f} us per tree and step")


if __name__ == "__main__":
    worlds()
    trees()

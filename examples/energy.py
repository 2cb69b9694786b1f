"""A double pendulum without losses: how well does each integrator keep its energy?"""

import corten
from corten import models
from corten.model.enums import EnableBit, Integrator


def drift(integrator: Integrator, timestep: float, seconds: float = 5.0) -> float:
    """Largest relative change of the total energy along a swing."""
    m = corten.Model.from_xml_path(models.path("double_pendulum"))
    m.opt.integrator, m.opt.timestep = integrator, timestep
    m.opt.enableflags = int(m.opt.enableflags) | EnableBit.ENERGY
    d = corten.Data(m)
    corten.reset(m, d, keyframe="swinging")
    corten.forward(m, d)
    start, worst = sum(d.energy), 0.0
    for _ in range(round(seconds / timestep)):
        corten.step(m, d)
        worst = max(worst, abs(sum(d.energy) - start))
    return worst / abs(start)


if __name__ == "__main__":
    for integrator in (Integrator.EULER, Integrator.RK4):
        for timestep in (0.004, 0.002, 0.001):
            print(f"{integrator.name:6} {timestep:.3f} s: energy off by {drift(integrator, timestep):.1e} of itself")

"""Accelerations from forces."""

from __future__ import annotations

from corten.kernel import stage
from corten.physics.inertia import solve


@stage
def smooth_acceleration(m, d):
    """qacc_smooth = inv(M) qfrc_smooth: what the accelerations are without constraints."""
    for i in range(m.nv):
        d.qacc_smooth[i] = d.qfrc_smooth[i]
    solve(m, d.qLD, d.qLDiagInv, d.qacc_smooth)

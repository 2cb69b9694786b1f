"""Exact derivatives: the physics evaluated on dual numbers.

Positions are perturbed in the tangent space, as velocities are: for an orientation, by turning it about its own axes.
"""

from __future__ import annotations

from corten.derivative.dynamics import qacc, transition

__all__ = ["qacc", "transition"]

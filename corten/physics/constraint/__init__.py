"""Constraints: rows, impedance, and the solvers that find the forces."""

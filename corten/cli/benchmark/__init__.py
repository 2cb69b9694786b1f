"""Measurements behind `corten bench`: both engines in turn in one process, the best of several repetitions each."""

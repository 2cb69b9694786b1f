"""Soft bodies: from <flex> and <flexcomp> to the arrays of the model."""

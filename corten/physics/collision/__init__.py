"""Collision detection: from poses of geoms to contacts."""

from corten.physics.collision.detect import collision

__all__ = ["collision"]

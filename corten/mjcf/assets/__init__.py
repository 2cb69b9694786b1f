"""Meshes and height fields as arrays: file readers, convex hulls, mass properties and fitted primitives.

Nothing here knows XML. The MJCF compiler calls `build_mesh` and `load_hfield`, and turns `MeshError` into its own error
with the file and line.
"""

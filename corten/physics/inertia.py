"""Inertia: centres of mass, spatial inertias, motion axes, and the joint-space inertia matrix M with its factors.

All spatial quantities of a body are about the centre of mass of its kinematic tree, in world axes. M is found by the
composite rigid body algorithm (Featherstone 2008, chapter 6) and factored as M = L' D L, which keeps the sparsity that
the tree gives it: dof i is coupled only with its ancestors. M and its factors are stored by rows up to the diagonal.
"""

from __future__ import annotations

from corten.kernel import kernel, stage, where
from corten.kernel.spatial import dot6, inertia_times, load6, load10, store6
from corten.kernel.vec import add3, cross, load3, load9, scale3, store3, sub3
from corten.model.enums import JointType

NO_MASS = 1e-15  # a subtree lighter than this has no centre of mass


@stage
def centre_of_mass(m, d):
    """Centres of mass of subtrees, spatial inertias of bodies, motion axes of dofs."""
    subtree_centres(m, d)
    for b in range(1, m.nbody):
        body_inertia(m, d, b)
    for j in range(m.njnt):
        joint_axes(m, d, j)


@kernel
def subtree_centres(m, d):
    """subtree_com: mass-weighted mean of xipos over each body and all below it."""
    for b in range(m.nbody):
        store3(d.subtree_com, b, scale3(m.body_mass[b], load3(d.xipos, b)))
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        store3(d.subtree_com, p, add3(load3(d.subtree_com, p), load3(d.subtree_com, b)))
    for b in range(m.nbody):
        mass = m.body_subtreemass[b]
        light = mass < NO_MASS
        mean = scale3(1.0 / where(light, 1.0, mass), load3(d.subtree_com, b))
        store3(d.subtree_com, b, where(light, load3(d.xipos, b), mean))


@kernel
def body_inertia(m, d, b):
    """cinert: R diag(inertia) R' + m (|r|^2 1 - r r') about the tree's centre of mass, r from there to the body's
    own.
    """
    x, y, z = sub3(load3(d.xipos, b), load3(d.subtree_com, m.body_rootid[b]))
    mass = m.body_mass[b]
    i0, i1, i2 = load3(m.body_inertia, b)
    r = load9(d.ximat, b)
    mx, my, mz = mass * x, mass * y, mass * z
    d.cinert[b, 0] = r[0] * r[0] * i0 + r[1] * r[1] * i1 + r[2] * r[2] * i2 + my * y + mz * z
    d.cinert[b, 1] = r[3] * r[3] * i0 + r[4] * r[4] * i1 + r[5] * r[5] * i2 + mx * x + mz * z
    d.cinert[b, 2] = r[6] * r[6] * i0 + r[7] * r[7] * i1 + r[8] * r[8] * i2 + mx * x + my * y
    d.cinert[b, 3] = r[0] * r[3] * i0 + r[1] * r[4] * i1 + r[2] * r[5] * i2 - mx * y
    d.cinert[b, 4] = r[0] * r[6] * i0 + r[1] * r[7] * i1 + r[2] * r[8] * i2 - mx * z
    d.cinert[b, 5] = r[3] * r[6] * i0 + r[4] * r[7] * i1 + r[5] * r[8] * i2 - my * z
    d.cinert[b, 6] = mx
    d.cinert[b, 7] = my
    d.cinert[b, 8] = mz
    d.cinert[b, 9] = mass


@kernel
def joint_axes(m, d, j):
    """cdof: the motion of the tree's centre, carried along, for a unit velocity of each dof of joint j."""
    v, b = m.jnt_dofadr[j], m.jnt_bodyid[j]
    kind = m.jnt_type[j]
    arm = sub3(load3(d.subtree_com, m.body_rootid[b]), load3(d.xanchor, j))
    if kind == JointType.SLIDE:
        axis = load3(d.xaxis, j)
        store6(d.cdof, v, (0.0, 0.0, 0.0, *axis))
    elif kind == JointType.HINGE:
        axis = load3(d.xaxis, j)
        store6(d.cdof, v, (*axis, *cross(axis, arm)))
    else:
        if kind == JointType.FREE:
            store6(d.cdof, v, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
            store6(d.cdof, v + 1, (0.0, 0.0, 0.0, 0.0, 1.0, 0.0))
            store6(d.cdof, v + 2, (0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
            v = v + 3
        r = load9(d.xmat, b)
        x, y, z = (r[0], r[3], r[6]), (r[1], r[4], r[7]), (r[2], r[5], r[8])
        store6(d.cdof, v, (*x, *cross(x, arm)))
        store6(d.cdof, v + 1, (*y, *cross(y, arm)))
        store6(d.cdof, v + 2, (*z, *cross(z, arm)))


@stage
def joint_inertia(m, d):
    """M: composite inertias from the leaves inwards, then M_ij = cdof_j . (crb_i cdof_i) for the ancestors j of dof
    i.
    """
    for b in range(m.nbody):
        for k in range(10):
            d.crb[b, k] = d.cinert[b, k]
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        if p > 0:
            for k in range(10):
                d.crb[p, k] = d.crb[p, k] + d.crb[b, k]
    for i in range(m.nv):
        momentum = inertia_times(load10(d.crb, m.dof_bodyid[i]), load6(d.cdof, i))
        first = m.M_rowadr[i]
        diagonal = first + m.M_rownnz[i] - 1
        for k in range(first, diagonal):
            d.M[k] = dot6(momentum, load6(d.cdof, m.M_colind[k]))
        d.M[diagonal] = dot6(momentum, load6(d.cdof, i)) + m.dof_armature[i]


@stage
def factor_inertia(m, d):
    """qLD, qLDiagInv: the factors of M."""
    factor(m, d.M, d.qLD, d.qLDiagInv)


@kernel
def factor(m, matrix, ld, inverse):
    """matrix = L' D L in place: D on the diagonal of ld, the unit lower triangular L below it, 1/D in inverse.

    From the last dof to the first: row i, divided by its pivot, is taken from the rows of all its ancestors. The
    columns of an ancestor's row are the leading columns of row i.
    """
    for k in range(m.nC):
        ld[k] = matrix[k]
    for i in range(m.nv - 1, -1, -1):
        row = m.M_rowadr[i]
        n = m.M_rownnz[i] - 1
        inv = 1.0 / ld[row + n]
        inverse[i] = inv
        for a in range(n - 1, -1, -1):
            ancestor = m.M_rowadr[m.M_colind[row + a]]
            s = -(ld[row + a] * inv)
            for k in range(a + 1):
                ld[ancestor + k] = s * ld[row + k] + ld[ancestor + k]
        for k in range(n):
            ld[row + k] = ld[row + k] * inv


@kernel
def solve(m, ld, inverse, x):
    """x becomes inv(L' D L) x: x / L', then / D, then / L."""
    for i in range(m.nv - 1, -1, -1):
        row = m.M_rowadr[i]
        xi = x[i]
        for k in range(row, row + m.M_rownnz[i] - 1):
            j = m.M_colind[k]
            x[j] = x[j] - ld[k] * xi
    for i in range(m.nv):
        row = m.M_rowadr[i]
        xi = x[i] * inverse[i]
        for k in range(row, row + m.M_rownnz[i] - 1):
            xi = xi - ld[k] * x[m.M_colind[k]]
        x[i] = xi


@kernel
def multiply_inertia(m, d, result, x):
    """result = M x"""
    for i in range(m.nv):
        row = m.M_rowadr[i]
        diagonal = row + m.M_rownnz[i] - 1
        xi = x[i]
        s = d.M[diagonal] * xi
        for k in range(row, diagonal):
            j = m.M_colind[k]
            s = d.M[k] * x[j] + s
            result[j] = d.M[k] * xi + result[j]
        result[i] = s

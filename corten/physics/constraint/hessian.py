"""The Newton solver's matrix H = M + J' W J: its pattern, its sum, its factors.

H is sparse: dof i is coupled with its ancestors, as in M, and further with what rows couple it with. Most rows (limits,
contacts with the world) lie within one chain of dofs, and then the chains are the whole pattern. Rows between branches
couple these; eliminating from the last dof to the first then fills in what it must, which is found on sets of bits
beforehand. The sum is kept from iteration to iteration: only rows whose weight has changed are added to it.
"""

from __future__ import annotations

from corten.kernel import any_lane, highest_bit, kernel, local, lowest_bit, where
from corten.model.derived.hessian import WORD
from corten.model.enums import ConstraintType
from corten.physics.constraint.cost import tangent_length
from corten.physics.constraint.isles import end_of_rows, end_of_trees

CHAINS, COUPLED = 1, 2
MOST_ROWS = 10  # of one object: a pyramid with five tangents


@kernel
def find_pattern(m, d):
    """H_rownnz, H_rowadr, H_colind; whether they fit."""
    if within_chains(m, d):
        if d.H_pattern == CHAINS:
            return True
        if m.nHchain > d.H_cap:
            d.need_H = m.nHchain
            return False
        for i in range(m.nv):
            d.H_rownnz[i] = m.Hchain_rownnz[i]
            d.H_rowadr[i] = m.Hchain_rowadr[i]
        for k in range(m.nHchain):
            d.H_colind[k] = m.Hchain_colind[k]
        d.H_pattern = CHAINS
        return True
    return coupled_pattern(m, d)


@kernel
def within_chains(m, d):
    """Whether all dofs of each row are ancestors of its last."""
    for r in range(d.nefc):
        n = d.efc_J_rownnz[r]
        if d.efc_dim[r] > 0 and n > 1:
            k = d.efc_J_rowadr[r] + n - 1
            i = d.efc_J_colind[k]
            for back in range(n - 1):
                j = d.efc_J_colind[k - 1 - back]
                while i > j:
                    i = m.dof_parentid[i]
                if i != j:
                    return False
    return True


@kernel
def coupled_pattern(m, d):
    """The pattern of the factors of H, by symbolic elimination on sets of bits; kept while rows have the same dofs."""
    if d.H_pattern == COUPLED and same_dofs(d):
        return True
    words = (m.nv + WORD - 1) // WORD
    for k in range(m.nv * words):
        d.H_bits[k] = 0
    for i in range(m.nv):
        for k in range(m.Hchain_rowadr[i], m.Hchain_rowadr[i] + m.Hchain_rownnz[i]):
            set_bit(d, i * words, m.Hchain_colind[k])
    for r in range(d.nefc):
        n = d.efc_J_rownnz[r]
        if d.efc_dim[r] > 0 and n > 1:
            start = d.efc_J_rowadr[r]
            last = d.efc_J_colind[start + n - 1]
            for k in range(start, start + n - 1):
                set_bit(d, last * words, d.efc_J_colind[k])
    for i in range(m.nv - 1, 0, -1):
        # what dof i is coupled with, its elimination couples with the highest of them
        own = i * words
        d.H_bits[own + i // WORD] = d.H_bits[own + i // WORD] ^ (1 << i % WORD)
        w = words - 1
        while w >= 0 and d.H_bits[own + w] == 0:
            w -= 1
        if w >= 0:
            parent = (w * WORD + highest_bit(d.H_bits[own + w])) * words
            for v in range(w + 1):
                d.H_bits[parent + v] = d.H_bits[parent + v] | d.H_bits[own + v]
        set_bit(d, own, i)
    total = 0
    for i in range(m.nv):
        d.H_rowadr[i] = total
        for w in range(words):
            bits = d.H_bits[i * words + w]
            while bits != 0:
                if total < d.H_cap:
                    d.H_colind[total] = w * WORD + lowest_bit(bits)
                total += 1
                bits = bits & (bits - 1)
        d.H_rownnz[i] = total - d.H_rowadr[i]
    d.H_pattern = 0
    if total > d.H_cap:
        d.need_H = total
        return False
    keep_dofs(d)
    d.H_pattern = COUPLED
    return True


@kernel
def same_dofs(d):
    """Whether objects have rows with the same dofs as when H_colind was found."""
    object, entry = 0, 0
    for r in range(d.nefc):
        n = d.efc_J_rownnz[r]
        if d.efc_dim[r] > 0 and n > 1:
            if object == d.H_nobject or d.H_objnnz[object] != n:
                return False
            start = d.efc_J_rowadr[r]
            for k in range(n):
                if d.H_objdof[entry + k] != d.efc_J_colind[start + k]:
                    return False
            object += 1
            entry += n
    return object == d.H_nobject


@kernel
def keep_dofs(d):
    """Remember the dofs of the rows of all objects."""
    object, entry = 0, 0
    for r in range(d.nefc):
        n = d.efc_J_rownnz[r]
        if d.efc_dim[r] > 0 and n > 1:
            d.H_objnnz[object] = n
            start = d.efc_J_rowadr[r]
            for k in range(n):
                d.H_objdof[entry + k] = d.efc_J_colind[start + k]
            object += 1
            entry += n
    d.H_nobject = object


@kernel
def set_bit(d, base, i):
    """Put i into the set of bits that begins at `base`."""
    bit = 1 << int(i) % WORD  # in plain Python i may be an integer of 32 bits
    d.H_bits[base + i // WORD] = d.H_bits[base + i // WORD] | bit


@kernel
def begin_sum(m, d, s):
    """H_base = M on the dofs of isle s, and no rows."""
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            e, end = d.H_rowadr[i], d.H_rowadr[i] + d.H_rownnz[i]
            for a in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
                j = m.M_colind[a]
                while d.H_colind[e] != j:
                    d.H_base[e] = 0.0
                    e += 1
                d.H_base[e] = d.M[a]
                e += 1
            while e < end:
                d.H_base[e] = 0.0
                e += 1
    for q in range(d.island_iefcadr[s], end_of_rows(d, s)):
        d.H_weight[d.map_iefc2efc[q]] = 0.0


@kernel
def add_changed_rows(d, s):
    """H_base += J' (change of W) J over the rows of isle s, object by object."""
    q, end = d.island_iefcadr[s], end_of_rows(d, s)
    while q < end:
        r = d.map_iefc2efc[q]
        rows = d.efc_dim[r]
        if rows == 1:
            change = d.efc_weight[r] - d.H_weight[r]
            if any_lane(change != 0.0):
                d.H_weight[r] = d.efc_weight[r]
                add_row(d, r, change)
        else:
            for i in range(r, r + rows):
                if any_lane(d.efc_weight[i] != d.H_weight[i]):
                    add_object(d, r, rows)
                    break
        q += rows


@kernel
def add_row(d, r, change):
    """The same for one row."""
    start = d.efc_J_rowadr[r]
    for a in range(start, start + d.efc_J_rownnz[r]):
        scaled = change * d.efc_J[a]
        e = d.H_rowadr[d.efc_J_colind[a]]
        for b in range(start, a + 1):
            j = d.efc_J_colind[b]
            while d.H_colind[e] != j:
                e += 1
            d.H_base[e] = scaled * d.efc_J[b] + d.H_base[e]


@kernel
def add_object(d, r, rows):
    """The same for the rows of one object, which begin at r and have the same dofs.

    A dof's row of H has as many entries as there are dofs up to it in J, if and only if they are the same.
    """
    change, scaled = local(d, MOST_ROWS), local(d, MOST_ROWS)
    for k in range(rows):
        change[k] = d.efc_weight[r + k] - d.H_weight[r + k]
        d.H_weight[r + k] = d.efc_weight[r + k]
    start, n = d.efc_J_rowadr[r], d.efc_J_rownnz[r]
    for a in range(n):
        i = d.efc_J_colind[start + a]
        e = d.H_rowadr[i]
        for k in range(rows):
            scaled[k] = change[k] * d.efc_J[start + k * n + a]
        if d.H_rownnz[i] == a + 1:
            for k in range(rows):
                factor = scaled[k]
                for b in range(a + 1):
                    d.H_base[e + b] = factor * d.efc_J[start + k * n + b] + d.H_base[e + b]
        else:
            add_products(d, d.H_base, scaled, start, n, rows, a)


@kernel
def add_products(d, matrix, scaled, start, n, rows, a):
    """The row of a matrix like H that belongs to dof a of an object += the sum of `scaled` times its rows of J."""
    e = d.H_rowadr[d.efc_J_colind[start + a]]
    for b in range(a + 1):
        j = d.efc_J_colind[start + b]
        while d.H_colind[e] != j:
            e += 1
        total = matrix[e]
        for k in range(rows):
            total = scaled[k] * d.efc_J[start + k * n + b] + total
        matrix[e] = total


@kernel
def add_cones(d, s):
    """H_factor = H_base + J' C J, C the second derivative of the cost of each contact that slides."""
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for e in range(d.H_rowadr[d.itree_first[k]], end_of_row(d, d.itree_last[k] - 1)):
            d.H_factor[e] = d.H_base[e]
    q, end = d.island_iefcadr[s], end_of_rows(d, s)
    while q < end:
        r = d.map_iefc2efc[q]
        rows = d.efc_dim[r]
        if d.efc_type[r] == ConstraintType.CONTACT_ELLIPTIC and any_lane(d.efc_cone[r]):
            add_cone(d, r, rows)
        q += rows


@kernel
def end_of_row(d, i):
    """One past the last entry of row i of H."""
    return d.H_rowadr[i] + d.H_rownnz[i]


@kernel
def add_cone(d, r, rows):
    """One contact. In U the second derivative is that of (N - mu T)^2 / 2 times Dm; J and the frictions bring it to
    dofs.
    """
    s = d.efc_id[r]
    c, t = local(d, 36), local(d, 6)
    mu = d.contact_mu[s]
    on = d.efc_cone[r]
    tangent = where(on, tangent_length(d, r, s, rows), 1.0)
    normal = mu * d.efc_jar[r]
    steep = where(on, d.efc_D[r] / (mu * mu * (1.0 + mu * mu)), 0.0)
    ratio = mu * normal / tangent
    c[0] = steep * mu * mu
    for j in range(1, rows):
        friction = d.contact_friction[s, j - 1]
        u = friction * d.efc_jar[r + j] / tangent
        cross = -(steep * mu) * mu * u * friction
        c[6 * j] = cross
        c[j] = cross
        for k in range(1, j + 1):
            other = d.contact_friction[s, k - 1]
            w = other * d.efc_jar[r + k] / tangent
            entry = ratio * u * w + ((mu * mu - ratio) if k == j else 0.0)
            scaled = steep * friction * other * entry
            c[6 * j + k] = scaled
            c[6 * k + j] = scaled
    start, n = d.efc_J_rowadr[r], d.efc_J_rownnz[r]
    for a in range(n):
        for j in range(rows):
            total = 0.0
            for k in range(rows):
                total = c[6 * j + k] * d.efc_J[start + k * n + a] + total
            t[j] = total
        add_products(d, d.H_factor, t, start, n, rows, a)


@kernel
def factor_hessian(d, s):
    """H_factor = L' D L in place, from the last dof of isle s to the first; D is inverted in H_inverse.

    What row i takes from the row of one of its dofs is in the columns up to that dof. They are among that row's own; in
    chains, and where branches have filled in, they are all of them, which their number tells.
    """
    for k in range(end_of_trees(d, s) - 1, d.island_itreeadr[s] - 1, -1):
        for i in range(d.itree_last[k] - 1, d.itree_first[k] - 1, -1):
            row, n = d.H_rowadr[i], d.H_rownnz[i] - 1
            inverse = 1.0 / d.H_factor[row + n]
            d.H_inverse[i] = inverse
            for a in range(n - 1, -1, -1):
                other, dense = d.H_rowadr[d.H_colind[row + a]], d.H_rownnz[d.H_colind[row + a]] == a + 1
                scale = -(d.H_factor[row + a] * inverse)
                if dense:
                    for e in range(a + 1):
                        d.H_factor[other + e] = scale * d.H_factor[row + e] + d.H_factor[other + e]
                else:
                    for e in range(row, row + a + 1):
                        j = d.H_colind[e]
                        while d.H_colind[other] != j:
                            other += 1
                        d.H_factor[other] = scale * d.H_factor[e] + d.H_factor[other]
            for e in range(row, row + n):
                d.H_factor[e] = d.H_factor[e] * inverse


@kernel
def solve_hessian(d, s, x):
    """x becomes inv(H) x over the dofs of isle s"""
    for k in range(end_of_trees(d, s) - 1, d.island_itreeadr[s] - 1, -1):
        for i in range(d.itree_last[k] - 1, d.itree_first[k] - 1, -1):
            xi = x[i]
            for e in range(d.H_rowadr[i], d.H_rowadr[i] + d.H_rownnz[i] - 1):
                j = d.H_colind[e]
                x[j] = x[j] - d.H_factor[e] * xi
    for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
        for i in range(d.itree_first[k], d.itree_last[k]):
            xi = x[i] * d.H_inverse[i]
            for e in range(d.H_rowadr[i], d.H_rowadr[i] + d.H_rownnz[i] - 1):
                xi = xi - d.H_factor[e] * x[d.H_colind[e]]
            x[i] = xi

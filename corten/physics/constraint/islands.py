"""Islands: groups of trees that constraint rows join. Nothing acts between one island and another.

Islands are numbered in the order of their first trees. Lists of trees, dofs and rows sorted by islands keep the order
within each island, and end with what is in no island. Names and meanings are MuJoCo's.

Behind the islands, `island_*` describe two more parts of the system, for the solvers: what is in no island, and all
that is to be solved. The dofs of a part are those of its trees, from `itree_first` to `itree_last`.
"""

from __future__ import annotations

from corten.kernel import kernel, one_world, stage
from corten.model.enums import DisableBit
from corten.physics.constraint.isles import end_of_rows, end_of_trees


@stage
def islands(m, d):
    """island_*, *_island, map_*: which trees the rows join.

    What rows join differs from world to world, so the islands of a block would depend on which worlds share it. There
    are none then, and only the whole is described.
    """
    d.nisland = 0
    if one_world(d):
        join_trees(m, d)
        list_trees(m, d)
        list_dofs(m, d)
        list_rows(m, d)
    else:
        for r in range(d.nefc):
            d.map_iefc2efc[r] = r
    describe_whole(m, d)


@kernel
def join_trees(m, d):
    """tree_island and nisland. Of trees that rows touch, first the lowest tree that they are joined with."""
    for t in range(m.ntree):
        d.tree_island[t] = -1
    if d.nefc == 0 or m.opt.disableflags & DisableBit.ISLAND:
        return
    if m.ntree == 1:
        d.tree_island[0] = 0
    else:
        for r in range(d.nefc):
            if d.efc_dim[r] > 0:
                join_trees_of_row(m, d, r)
    for t in range(m.ntree):
        first = d.tree_island[t]
        if first == t:
            d.tree_island[t] = d.nisland
            d.nisland += 1
        elif first >= 0:
            d.tree_island[t] = d.tree_island[first]


@kernel
def join_trees_of_row(m, d, r):
    """Union-find, where lower trees stand for higher ones. Dofs ascend in a row, and so do their trees."""
    start, end = d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]
    t, last = m.dof_treeid[d.efc_J_colind[start]], m.dof_treeid[d.efc_J_colind[end - 1]]
    first = root(d, t)
    k = start
    while t != last:
        before = t
        while t == before:
            k += 1
            t = m.dof_treeid[d.efc_J_colind[k]]
        other = root(d, t)
        d.tree_island[max(first, other)] = min(first, other)
        first = min(first, other)


@kernel
def root(d, t):
    """The tree that stands for all that tree t is joined with, itself if it is new."""
    if d.tree_island[t] < 0:
        d.tree_island[t] = t
    while d.tree_island[t] != t:
        d.tree_island[t] = d.tree_island[d.tree_island[t]]
        t = d.tree_island[t]
    return t


@kernel
def list_trees(m, d):
    """island_ntree, island_itreeadr, map_itree2tree."""
    for s in range(d.nisland + 1):
        d.island_ntree[s] = 0
    for t in range(m.ntree):
        d.island_ntree[part(d, d.tree_island[t])] += 1
    begin_lists(d, d.island_ntree, d.island_itreeadr)
    for t in range(m.ntree):
        s = part(d, d.tree_island[t])
        k = end_of_trees(d, s)
        d.island_ntree[s] += 1
        d.map_itree2tree[k] = t
        d.itree_first[k] = m.tree_dofadr[t]
        d.itree_last[k] = m.tree_dofadr[t] + m.tree_dofnum[t]


@kernel
def list_dofs(m, d):
    """dof_island, nidof, island_nv, island_idofadr, island_dofadr, map_dof2idof, map_idof2dof."""
    place = 0
    for s in range(d.nisland + 1):
        island = s if s < d.nisland else -1
        d.island_idofadr[s] = place
        for k in range(d.island_itreeadr[s], end_of_trees(d, s)):
            for i in range(d.itree_first[k], d.itree_last[k]):
                d.dof_island[i] = island
                d.map_dof2idof[i] = place
                d.map_idof2dof[place] = i
                place += 1
        d.island_nv[s] = place - d.island_idofadr[s]
        d.island_dofadr[s] = d.itree_first[d.island_itreeadr[s]]
    d.nidof = d.island_idofadr[d.nisland]


@kernel
def list_rows(m, d):
    """efc_island, island_ne, island_nf, island_nefc, island_iefcadr, map_efc2iefc, map_iefc2efc; object by object."""
    for s in range(d.nisland + 1):
        d.island_ne[s] = 0
        d.island_nf[s] = 0
        d.island_nefc[s] = 0
    r = 0
    while r < d.nefc:
        island, rows = d.tree_island[m.dof_treeid[d.efc_J_colind[d.efc_J_rowadr[r]]]], d.efc_dim[r]
        for k in range(rows):
            d.efc_island[r + k] = island
        d.island_nefc[part(d, island)] += rows
        if r < d.ne:
            d.island_ne[part(d, island)] += rows
        elif r < d.ne + d.nf:
            d.island_nf[part(d, island)] += rows
        r += rows
    begin_lists(d, d.island_nefc, d.island_iefcadr)
    r = 0
    while r < d.nefc:
        s, rows = part(d, d.efc_island[r]), d.efc_dim[r]
        q = end_of_rows(d, s)
        for k in range(rows):
            d.map_efc2iefc[r + k] = q + k
            d.map_iefc2efc[q + k] = r + k
        d.island_nefc[s] += rows
        r += rows


@kernel
def part(d, island):
    """The place in island_*: the island itself, or, for -1, behind all of them."""
    return island if island >= 0 else d.nisland


@kernel
def begin_lists(d, counts, starts):
    """Where the list of each island begins. Counts are zero again, and grow while the lists are filled."""
    total = 0
    for s in range(d.nisland + 1):
        starts[s] = total
        total += counts[s]
        counts[s] = 0


@kernel
def describe_whole(m, d):
    """All islands as one; or, if there are none, all dofs as those of one tree, and no free trees besides."""
    whole = d.nisland + 1
    if d.nisland == 0:
        d.itree_first[0] = 0
        d.itree_last[0] = m.nv
        d.island_ntree[0] = 0
    d.island_itreeadr[whole] = 0
    d.island_ntree[whole] = d.island_itreeadr[d.nisland] if d.nisland > 0 else 1
    d.island_nv[whole] = m.nv
    d.island_iefcadr[whole] = 0
    d.island_nefc[whole] = d.nefc

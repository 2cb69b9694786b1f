"""Which points of a <flexcomp> stay with its parent body: the <pin> elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corten.mjcf.read import Element


@dataclass(frozen=True, slots=True)
class Grid:
    """How points are numbered: the last axis runs fastest. `order` is that of the interpolation between nodes."""

    dim: int
    count: tuple[int, ...]
    regular: bool
    order: int

    def number(self, *at: Any) -> Any:
        """The number of a point from its grid coordinates."""
        result = 0
        for place, count in zip(at, self.count, strict=False):
            result = result * count + place
        return result


def pinned_points(element: Element, grid: Grid, npoint: int, rigid: bool, radial: bool) -> NDArray[np.bool_]:
    """Whether each point is pinned, or each node where vertices are interpolated; the array is as long as the longer.

    The first point of a radial body, its centre, always is.
    """
    pins = list(element.all("pin"))
    nnode = (grid.order + 1) ** 3 if grid.order else 0
    pinned = np.full(max(npoint, nnode), rigid)
    _check_grids(pins, grid)
    if rigid:
        return pinned
    for pin in pins:
        values = {**pin.rule.defaults, **pin.attributes}
        for number in values["id"]:
            pinned[_bounded(pin, "id", number, npoint)] = True
        ends = [_bounded(pin, "range", number, npoint) for number in values["range"]]
        for first, last in zip(ends[::2], ends[1::2], strict=True):
            pinned[first:last + 1] = True
        _pin_grids(pin, values, grid, pinned)
    if radial:
        pinned[0] = True
    return pinned


def _check_grids(pins: list[Element], grid: Grid) -> None:
    for pin in pins:
        values = pin.attributes
        if len(values.get("range", ())) % 2:
            pin.fail("must hold pairs", "range")
        for name, width in (("grid", grid.dim), ("gridrange", 2 * grid.dim)):
            if name not in values:
                continue
            if len(values[name]) % width:
                pin.fail(f"must hold a multiple of {width} numbers", name)
            if grid.dim == 1 or not (grid.regular or grid.order):
                pin.fail("is for grids of dimension 2 and 3, and for interpolated vertices", name)


def _pin_grids(pin: Element, values: dict[str, Any], grid: Grid, pinned: NDArray[np.bool_]) -> None:
    dim = grid.dim
    nodes = (grid.order + 1,) * 3
    bounds = grid.count if grid.regular or not grid.order else nodes
    for at in np.array(values["grid"], np.int64).reshape(-1, dim).tolist():
        for place, count in zip(at, bounds, strict=False):
            _bounded(pin, "grid", place, count)
        pinned[_bounded(pin, "grid", grid.number(*at), len(pinned))] = True
    for ends in np.array(values["gridrange"], np.int64).reshape(-1, 2, dim).tolist():
        for corner in ends:
            for place, count in zip(corner, grid.count, strict=False):
                _bounded(pin, "gridrange", place, count)
        span = np.meshgrid(*[np.arange(a, b + 1) for a, b in zip(*ends, strict=True)], indexing="ij")
        inside = grid.number(*[axis.ravel() for axis in span])
        if inside.size:
            _bounded(pin, "gridrange", int(inside.max()), len(pinned))
        pinned[inside] = True


def _bounded(pin: Element, attribute: str, number: int, count: int) -> int:
    if not 0 <= number < count:
        pin.fail(f"{number} is not between 0 and {count - 1}", attribute)
    return number

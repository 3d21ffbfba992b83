"""What compiled assembly computes, in symbols: the same expressions, units and order of rows as the careful way has."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.assembly.branch import chosen_coordinates
from linkwork.assembly.guess import Guess
from linkwork.assembly.numbers import Numbers
from linkwork.assembly.start_values import StartValues
from linkwork.geometry import SX


def beginning(numbers: Numbers, guess: Guess) -> list[SX]:
    """q, z, start values of coordinates, start speeds of coordinates and bodies, and what tells whether they can be
    trusted: by how much matrices fail to be rotations, start values and beginnings of motions in turn. By t and p."""
    q = [numbers.of_body.in_symbols(pose) for pose in guess.poses] + guess.variables
    wanted = [SX(c.value) for c in numbers.coordinates if c.value is not None]
    skew = SX(0)
    for pose in guess.poses if not numbers.model.is_planar else ():
        skew = ca.fmax(skew, ca.norm_inf(ca.vec(pose.R.T @ pose.R - SX.eye(3))))
    speeds = [SX(c.speed) for c in numbers.coordinates if c.speed is not None]
    speeds += [SX(x) for b in numbers.bodies for x in (b.given.velocity, b.given.spin) if x is not None]
    pairs = [x for _, *both in guess.contested for x in both]
    parts = [numbers.known(_column(part)) for part in (q, guess.z, wanted, speeds, [skew], pairs)]
    return [ca.densify(part) for part in parts]


def residual(numbers: Numbers, given: StartValues) -> tuple[SX, list[SX]]:
    """Symbols for the start values; Φ and start values as far as they are missed, and their derivative by a
    displacement. By t, q, z and p."""
    rows, (by_row, by_speed, by_coordinate) = numbers.eq.constraints, numbers.units
    count = rows.position.numel()
    wanted = SX.sym("wanted", len(given.picked))
    r, J, units = [rows.position], [rows.jacobian[:count, :]], by_row[:count]
    if given.picked:
        values, _, B = numbers.read_back
        r.append(given.where_clear(values[given.picked] - wanted))
        J.append(B[given.picked, :])
        units = np.concatenate([units, by_coordinate[given.picked]])
    return wanted, [ca.densify(_column(r) / ca.DM(units)), _scaled(numbers, J, units, by_speed)]


def turned(numbers: Numbers, speeds: SX) -> SX:
    """z with turn counters at the measured angles, and speeds that drives begin with. By t, q, z and p."""
    eq, by_name = numbers.eq, {c.name: k for k, c in enumerate(numbers.coordinates)}
    values, _, _ = numbers.read_back
    driven = {f"{c.name}.speed": SX(0) for c in numbers.coordinates if c.speed is None}
    given = [c.name for c in numbers.coordinates if c.speed is not None]
    driven |= {f"{name}.speed": speeds[k] for k, name in enumerate(given)}
    z = ca.vertsplit(eq.z) if eq.z.numel() else []
    for k, name in enumerate(eq.z_names):
        if name in by_name:
            z[k] = values[by_name[name]]
        elif name in driven:
            z[k] = driven[name]
    return ca.densify(_at_rest(numbers, _column(z)))


def speed_rows(numbers: Numbers, speeds: SX) -> list[SX]:
    """Speeds that are wanted and the rows that say of what; rows that tell the branch. By t, q, z and p; speeds: those
    that were given."""
    eq, space, taken = numbers.eq, numbers.space, 0
    by_row, by_speed, by_coordinate = numbers.units
    B = numbers.read_back[2]
    blocks, wanted, units = [eq.constraints.jacobian], [-eq.constraints.velocity], list(by_row)
    for k, c in enumerate(numbers.coordinates):
        if c.speed is not None:
            blocks.append(B[k, :])
            wanted.append(speeds[taken])
            units.append(by_coordinate[k])
            taken += 1
    eye = SX.eye(eq.v.numel())
    for i, body in enumerate(numbers.bodies):
        mine = eye[space.size * i : space.size * (i + 1), :]
        if body.given.velocity is not None:
            blocks.append(mine[: space.along, :])
            wanted.append(space.true(speeds[taken : taken + 3]))
            units += [eq.states.length] * space.along
            taken += 3
        if body.given.spin is not None:
            blocks.append(mine[space.along :, :])
            wanted.append(space.axial(numbers.symbolic_pose(body).R.T @ speeds[taken : taken + 3]))
            units += [1.0] * space.about
            taken += 3
    chosen = chosen_coordinates(numbers)
    told = [eq.constraints.jacobian, B[chosen, :]], np.concatenate([by_row, by_coordinate[chosen]])
    return [
        ca.densify(_at_rest(numbers, _column(wanted) / ca.DM(units))),
        _scaled(numbers, blocks, np.array(units), by_speed),
        _scaled(numbers, *told, by_speed),
    ]


def _scaled(numbers: Numbers, blocks: list[SX], units: np.ndarray, by_speed: np.ndarray) -> SX:
    """Rows and columns in natural units, one number after the other: products of matrices take longer."""
    rows = ca.sparsify(ca.vertcat(SX(0, by_speed.size), *blocks))
    pattern = rows.sparsity()
    if not rows.nnz():
        return rows
    factors = by_speed[pattern.get_col()] / units[pattern.row()]
    return _at_rest(numbers, rows * ca.DM(pattern, factors))


def _at_rest(numbers: Numbers, x: SX) -> SX:
    v = numbers.eq.v
    return ca.substitute(x, v, SX(ca.DM.zeros(v.numel()))) if x.nnz() and ca.depends_on(x, v) else x


def _column(parts: list[SX]) -> SX:
    return ca.vertcat(SX(0, 1), *parts)

"""`m.particles()`: the particles that stand for the bodies in formulation "points" (PRT)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.components.bodies import Body
from linkwork.components.joint import Joint
from linkwork.core.courses import in_time
from linkwork.core.errors import UnknownName
from linkwork.core.registry import verb
from linkwork.core.signal import Inputs
from linkwork.formulations.particle_view import PointsView
from linkwork.simulation.arguments import parameters_of

if TYPE_CHECKING:
    from linkwork.core.model import Model


@dataclass(frozen=True)
class BodyParticle:
    """One of the particles that stand for a body.

    number: PRT's, 1 … 4; (i, j) for the secondary one halfway between two. place [m]: body axes, from the mass centre;
    position [m]: in the world at the start. mass [kg]: of PRT's 10×10 system (1), may be negative. reduced [kg]: m̄ of
    (7), with half of the secondary ones beside it; None for these. joints: those it lies on, where it is shared.
    role: "state", "shared" (a point of the parent), "dependent" (PRT (12)), "secondary".
    """

    body: str
    number: int | tuple[int, int]
    place: np.ndarray
    position: np.ndarray
    mass: float
    reduced: float | None
    joints: tuple[str, ...]
    role: str

    @property
    def name(self) -> str:
        numbers = self.number if isinstance(self.number, tuple) else (self.number,)
        return f"{self.body}.{'-'.join(str(k) for k in numbers)}"


@dataclass(frozen=True)
class ParticleSystem:
    """All particles of a model, body by body; `system["rod"]`: those of one body, `print(system)`: a table."""

    particles: tuple[BodyParticle, ...]

    def __iter__(self) -> Iterator[BodyParticle]:
        return iter(self.particles)

    def __len__(self) -> int:
        return len(self.particles)

    def __getitem__(self, body: str) -> list[BodyParticle]:
        members = [p for p in self.particles if p.body == body]
        if not members:
            raise UnknownName("body", body, list(dict.fromkeys(p.body for p in self.particles)))
        return members

    @property
    def states(self) -> list[BodyParticle]:
        """Those whose coordinates are states."""
        return [p for p in self.particles if p.role == "state"]

    @property
    def shared(self) -> list[BodyParticle]:
        """Those that belong to two bodies, as points of the one that carries the other."""
        return [p for p in self.particles if p.role == "shared"]

    def __str__(self) -> str:
        rows = [("particle", "role", "mass [kg]", "reduced [kg]", "position [m]", "joints")]
        heaviest = max((abs(p.mass) for p in self.particles), default=1.0)
        length = max((np.abs(p.position).max() for p in self.particles), default=1.0)
        for p in self.particles:
            at = "(" + ", ".join(_rounded(x, length) for x in p.position) + ")"
            reduced = "" if p.reduced is None else _rounded(p.reduced, heaviest)
            rows.append((p.name, p.role, _rounded(p.mass, heaviest), reduced, at, ", ".join(p.joints)))
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = ("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)
        return "\n".join(lines)


def _rounded(x: float, size: float) -> str:
    return f"{x if abs(x) > 1e-12 * size else 0.0:.4g}"


@verb
def particles(
    model: Model, *, parameters: Mapping[str, float] | None = None, inputs: Inputs | None = None
) -> ParticleSystem:
    """The particles that stand for the bodies in formulation "points": positions, masses, and who shares them.

    Four primary ones per body and six halfway between them have its mass, mass centre and inertia (PRT (1)); three and
    three in the plane. `body.particles(…)` places them; `r.snapshot(t, particles=m.particles())` draws them.
    parameters, inputs: as for `simulate`.
    """
    chosen = parameters_of(model, parameters)
    placed = assemble(model, parameters=chosen, inputs=inputs).placement
    with model.prepared_for(chosen):
        view = PointsView(model)
    symbols = model.all_symbols()[: placed.parameters.size]
    members: list[BodyParticle] = []
    for body in view.bodies:
        chosen_ones = view.particles[body.name]
        wanted = [ca.horzcat(*chosen_ones.every()), chosen_ones.weights(body.mass, body.inertia)]
        places, weights = (
            np.array(x)
            for x in ca.Function("f", [symbols], in_time(wanted, model.courses)).call([ca.DM(placed.parameters)])
        )
        at, R = placed.position[body.name], placed.rotation[body.name]
        world = [at + R @ place for place in places.T]
        members += _of_body(view, model, body, places.T, world, weights)
    return ParticleSystem(tuple(members))


def _of_body(
    view: PointsView, model: Model, body: Body, places: np.ndarray, world: list[np.ndarray], weights: np.ndarray
) -> list[BodyParticle]:
    n, width = len(places), view.width
    numbers = [1, 2, 3] if view.planar else [1, 2, 4, 3]
    shared = view.shared[body.name]
    carrying = next((link.joint for link in view.links if link.body is body), None)
    members = []
    for i in range(n):
        role = "dependent" if i == n - 1 else "shared" if i < shared else "state"
        joints = [j.name for j in model.of_type(Joint) if role != "dependent" and _lies_on(j, body, places[i])]
        if role == "shared" and carrying is not None and carrying.name not in joints:
            joints.insert(0, carrying.name)
        mass = weights[i, i] - sum(weights[i, j] for j in range(n) if j != i)
        members.append(
            BodyParticle(
                body.name,
                numbers[i],
                places[i][:width],
                world[i][:width],
                float(mass),
                float(weights[i].sum()),
                tuple(joints),
                role,
            )
        )
    for i in range(n):
        for j in range(i + 1, n):
            pair = (numbers[i], numbers[j]) if numbers[i] < numbers[j] else (numbers[j], numbers[i])
            place, at = (places[i] + places[j]) / 2, (world[i] + world[j]) / 2
            members.append(
                BodyParticle(
                    body.name, pair, place[:width], at[:width], float(4 * weights[i, j]), None, (), "secondary"
                )
            )
    return members


def _lies_on(joint: Joint, body: Body, place: np.ndarray) -> bool:
    """Whether a joint's centre on the body is there."""
    for marker in joint.markers():
        if marker.body is body and marker.local.p.is_constant():
            centre = np.array(ca.DM(marker.local.p)).ravel()
            if np.abs(centre - place).max() <= 1e-9 * max(np.abs(centre).max(), np.abs(place).max()):
                return True
    return False

"""States and equations of the user's own: first-order states, and residuals f(q, q̇, q̈, t) = 0 (SYM (9), (29))."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import casadi as ca

from linkwork.components.coordinate import check_start
from linkwork.core.component import Component, Element, View
from linkwork.core.component import State as Declared
from linkwork.core.errors import ModelError
from linkwork.core.kinds import expression, one_of, quantity, text
from linkwork.core.plain_data import Record
from linkwork.core.registry import component
from linkwork.geometry import SX, Number, is_scalar

if TYPE_CHECKING:
    from linkwork.core.model import Model

ITERATIONS = 8
"""Newton steps for equations that are not linear in the highest rates; they start from zero."""


@component
class State(Element):
    """A first-order state: `p = m.state("p", 1e5, unit="Pa")`, then `p.rate = …` with any symbols of the model.

    `p.symbol` is for expressions; the rate may depend on states, variables, parameters, inputs and time `m.t`, or be a
    function of frames: `p.follow(lambda a: …, body.at(…))`.
    """

    def __init__(
        self,
        name: str,
        start: Annotated[Number, "its value at the start"] = 0.0,
        *,
        rate: Annotated[Number | None, "its derivative, or said later by `.rate = …` or `.follow(…)`"] = None,
        unit: Annotated[str, text, "of its value"] = "",
    ):
        super().__init__(name)
        self.begin, self.unit, self.rate = check_start(name, start), unit, rate
        self.symbol = SX.sym(name)
        self._function: tuple[Callable[..., Number], tuple[Any, ...]] | None = None

    def follow(self, function: Callable[..., Number], *things: object) -> State:
        """The rate as a function of coordinates (their values) and frames (p, x, y, z, v, w)."""
        self._function = function, things
        if self.model is not None:
            self.model.changed()
        return self

    def said_later(self) -> Record:
        return super().said_later() | {"follow": self._function}

    def states(self, view: View) -> list[Declared]:
        if self._function is not None:
            function, things = self._function
            rate = function(*(view.frame(x) if hasattr(x, "body") else view.coordinate(x) for x in things))
        elif self.rate is not None:
            rate = self.rate
        else:
            raise ModelError("has no rate.", component=self.name, remedy=f"Say {self.name}.rate = … or .follow(…).")
        if not is_scalar(rate):
            raise ModelError("its rate is not a single number.", component=self.name, remedy="Give one expression.")
        return [Declared(self.name, self.symbol, SX(rate), self.begin, self.unit)]


@component
class Unknown(Component):
    """A quantity that equations of the user's own determine.

    It has symbols `.value` and `.rate`, and `.second` if its order is 2. As many `m.equation(…)` are needed as there
    are unknowns.
    """

    def __init__(
        self,
        name: str,
        start: Annotated[Number, "its value at the start"] = 0.0,
        *,
        start_rate: Annotated[Number, quantity, "its rate at the start, if its order is 2"] = 0.0,
        order: Annotated[int, one_of(1, 2), "of the highest derivative in the equations"] = 2,
        unit: Annotated[str, text, "of its value"] = "",
    ):
        super().__init__(name)
        start, start_rate = check_start(name, start), check_start(name, start_rate)
        self.order, self.unit, self.begin, self.begin_rate = order, unit, start, start_rate
        self.value, self.rate = SX.sym(name), SX.sym(f"{name}.rate")
        self.second = SX.sym(f"{name}.second") if order == 2 else None

    @property
    def highest(self) -> SX:
        return self.rate if self.second is None else self.second


@component
class Equation(Element):
    """Residuals that must vanish: expressions of unknowns, their rates, and any symbols of the model (SYM (9)).

    All equations of a model are solved together for the highest rates of all unknowns: exactly where they are linear
    in them, by Newton's method from zero where they are not.
    """

    def __init__(self, name: str, *residuals: Annotated[Number, expression, "what must vanish"]):
        super().__init__(name)
        if not residuals or not all(is_scalar(r) for r in residuals):
            raise ModelError("gives no scalar residuals.", component=name, remedy="Give expressions that must vanish.")
        self.residuals = [SX(r) for r in residuals]

    def channels(self, view):
        """How far Newton's method is from its end, as a share of the terms; where equations are linear, it has none."""
        model = self.model
        assert model is not None
        unknowns = model.of_type(Unknown)
        x, mine = ca.vertcat(*(u.highest for u in unknowns)), ca.vertcat(*self.residuals)
        if not ca.depends_on(ca.jacobian(mine, x), x):
            return {}
        rates = ca.vertcat(*solve_rates(model, unknowns, model.of_type(Equation)))
        left, slope, rest = ca.substitute(
            [mine, ca.jacobian(mine, x), ca.substitute(mine, x, SX.zeros(x.numel(), 1))], [x], [rates]
        )
        terms = ca.fabs(rest) + ca.fabs(slope) @ ca.fabs(rates)
        return {"residual": ("", ca.mmax(ca.fabs(left) / ca.fmax(terms, 1e-300)))}

    def states(self, view: View) -> list[Declared]:
        model = self.model
        assert model is not None
        equations = model.of_type(Equation)
        if self is not equations[0]:
            return []  # the first one speaks for all
        unknowns = model.of_type(Unknown)
        rates = solve_rates(model, unknowns, equations)
        states = []
        for x, highest in zip(unknowns, rates, strict=True):
            if x.second is None:
                states.append(Declared(x.name, x.value, highest, x.begin, x.unit))
            else:
                rate_unit = f"{x.unit}/s" if x.unit else ""
                states.append(Declared(x.name, x.value, x.rate, x.begin, x.unit))
                states.append(Declared(f"{x.name}.rate", x.rate, highest, x.begin_rate, rate_unit))
        return states


def solve_rates(model: Model, unknowns: list[Unknown], equations: list[Equation]) -> list[SX]:
    """The highest rates that make all residuals vanish."""
    residual = ca.vertcat(*(r for e in equations for r in e.residuals))
    if residual.numel() != len(unknowns):
        more = "unknown" if residual.numel() < len(unknowns) else "equation"
        names = ", ".join(c.name for c in (unknowns if more == "unknown" else equations))
        raise ModelError(
            f"{residual.numel()} equations for {len(unknowns)} unknowns: one {more} too many among {names}.",
            component=(unknowns if more == "unknown" else equations)[-1].name if unknowns else equations[0].name,
            remedy="Give as many residuals as m.unknown(…).",
        )
    x = ca.vertcat(*(u.highest for u in unknowns))
    J = ca.jacobian(residual, x)
    _check_structure(unknowns, equations, J)
    linear = not ca.depends_on(J, x)
    guess = SX.zeros(x.numel(), 1)
    for _ in range(1 if linear else ITERATIONS):
        r, slope = ca.substitute([residual, J], [x], [guess])
        guess = guess - _solve(slope, r)
    return ca.vertsplit(guess)


def _solve(J: SX, r: SX) -> SX:
    """Block by block where the equations allow it, so that plain ones stay plain."""
    if J.sparsity().is_diag():
        return r / ca.diag(J)
    return ca.solve(ca.densify(J), r)


def _check_structure(unknowns: list[Unknown], equations: list[Equation], J: SX) -> None:
    pattern = J.sparsity()
    for k, x in enumerate(unknowns):
        if not pattern.get_col().count(k):
            what = "rate" if x.order == 1 else "second derivative"
            raise ModelError(
                f"its {what} appears in no equation.",
                component=x.name,
                remedy=f"Use {x.name}.{'rate' if x.order == 1 else 'second'} in a residual, or lower its order.",
            )
    owners = [e.name for e in equations for _ in e.residuals]
    for k, owner in enumerate(owners):
        if k not in pattern.row():
            raise ModelError(
                "a residual contains no highest rate of any unknown: it is algebraic.",
                component=owner,
                remedy="Differentiate it, or write it as a condition between variables.",
            )

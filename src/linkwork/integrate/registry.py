"""The solvers by name."""

from __future__ import annotations

from linkwork.core.errors import UnknownName
from linkwork.core.real_numbers import said
from linkwork.integrate.generalized_alpha import HHT, GeneralizedAlpha, Newmark
from linkwork.integrate.radau import Radau
from linkwork.integrate.runge_kutta import DormandPrince5, DormandPrince853, RungeKutta4
from linkwork.integrate.solver import Solver
from linkwork.integrate.sundials import CVODES, IDAS

solvers: dict[str, type[Solver]] = {
    solver.name: solver
    for solver in (RungeKutta4, DormandPrince5, DormandPrince853, GeneralizedAlpha, Newmark, HHT, Radau, CVODES, IDAS)
}


def resolve_solver(solver: str | Solver) -> Solver:
    """A solver from its name (with its default options), or the solver itself."""
    if isinstance(solver, Solver):
        return solver
    if not isinstance(solver, str) or solver not in solvers:
        raise UnknownName("solver", said(solver), solvers)
    return solvers[solver]()

"""Integration: Program → Trajectory."""

from linkwork.integrate.evaluation import evaluate
from linkwork.integrate.generalized_alpha import HHT, GeneralizedAlpha, Newmark
from linkwork.integrate.integration import integrate
from linkwork.integrate.radau import Radau
from linkwork.integrate.registry import resolve_solver, solvers
from linkwork.integrate.runge_kutta import DormandPrince5, DormandPrince853, RungeKutta4
from linkwork.integrate.solver import Solver
from linkwork.integrate.sundials import CVODES, IDAS
from linkwork.integrate.trajectory import EventRecord, Trajectory

__all__ = [
    "CVODES",
    "HHT",
    "IDAS",
    "DormandPrince5",
    "DormandPrince853",
    "EventRecord",
    "GeneralizedAlpha",
    "Newmark",
    "Radau",
    "RungeKutta4",
    "Solver",
    "Trajectory",
    "evaluate",
    "integrate",
    "resolve_solver",
    "solvers",
]

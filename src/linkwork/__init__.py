"""Linkwork: multibody dynamics for Python. One model, every formulation, native speed.

A name is loaded when it is first used: what a script does not need costs it nothing.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from linkwork.core import places as _places

if _TYPE_CHECKING:
    from linkwork.analyses.check.check import Report
    from linkwork.analyses.comparison.comparison import Comparison
    from linkwork.analyses.control.observer import Observer
    from linkwork.analyses.control.regulator import Regulator
    from linkwork.analyses.equilibrium.equilibrium import Equilibrium
    from linkwork.analyses.floquet import Floquet
    from linkwork.analyses.graphs.inverse import GraphInverse
    from linkwork.analyses.graphs.reduction import GraphReduction
    from linkwork.analyses.linearization.linearization import Linearization
    from linkwork.analyses.linearization.modes import Mode
    from linkwork.analyses.optimisation.optimum import Optimum
    from linkwork.analyses.particles import ParticleSystem
    from linkwork.analyses.root_locus import RootLocus
    from linkwork.analyses.sensitivity.objectives import Final, Integral, Scalar
    from linkwork.analyses.sensitivity.sensitivities import Gradient, Sensitivity
    from linkwork.analyses.structure import Structure
    from linkwork.assembly.assemble import Assembly
    from linkwork.bondgraph.assigning.causality import Causality
    from linkwork.bondgraph.graph import BondGraph
    from linkwork.bondgraph.structural.controllability import StructuralProperty
    from linkwork.bondgraph.subgraph import Subgraph
    from linkwork.bondgraph.transfer.transfer_function import GraphTransferFunction
    from linkwork.components import shapes
    from linkwork.components.axial import AxialJoint
    from linkwork.components.contacts import outlines
    from linkwork.components.inertia import Inertia
    from linkwork.components.joint import Joint, JointCoordinate
    from linkwork.components.kinematics import Kinematics
    from linkwork.components.laws import Damper, Effort, Free, Friction, Law, Limits, Motion, Spring
    from linkwork.components.ropes import Pulley
    from linkwork.components.twist_wrench import KinematicPort, WrenchPort
    from linkwork.core.compliance import Compliance
    from linkwork.core.component import Component, Constraint, Force, Frame, Load, Marker
    from linkwork.core.errors import (
        AssemblyError,
        IntegrationError,
        LinkworkError,
        LinkworkWarning,
        ModelError,
        UnknownName,
    )
    from linkwork.core.finding import Finding
    from linkwork.core.kinds import signed
    from linkwork.core.model import Model
    from linkwork.core.port import (
        ELECTRIC,
        HYDRAULIC,
        ROTATIONAL,
        SIGNAL,
        THERMAL,
        TRANSLATIONAL,
        Domain,
        PortComponent,
    )
    from linkwork.core.registry import component
    from linkwork.core.result import Result
    from linkwork.core.signal import Signal, Table
    from linkwork.core.submodel import Submodel
    from linkwork.core.units import deg
    from linkwork.environments.gym import gym
    from linkwork.export.equations import EquationSheet
    from linkwork.export.symbolic_equations import SymbolicEquations
    from linkwork.files.opening import load
    from linkwork.formulations.stabilisation import Baumgarte, Projection
    from linkwork.geometry import (
        SX,
        Number,
        Pose,
        Vector,
        cross,
        dot,
        norm,
        rotation,
        rotation_x,
        rotation_y,
        rotation_z,
        rotx,
        roty,
        rotz,
        shift,
        translation,
        turn,
    )
    from linkwork.geometry.functions import (
        acos,
        asin,
        atan,
        atan2,
        cos,
        exp,
        fabs,
        floor,
        fmax,
        fmin,
        if_else,
        log,
        sin,
        sqrt,
        tan,
        tanh,
    )
    from linkwork.integrate import (
        CVODES,
        HHT,
        IDAS,
        DormandPrince5,
        DormandPrince853,
        GeneralizedAlpha,
        Newmark,
        Radau,
        RungeKutta4,
    )
    from linkwork.simulation.bonds.table import BondTable
    from linkwork.simulation.stepper.stepper import Stepper
    from linkwork.sweeps.distributions import Distribution, lognormal, loguniform, normal, triangular, uniform
    from linkwork.sweeps.fitted import Fit

__version__ = "0.1.0"

__all__ = [
    "CVODES",
    "ELECTRIC",
    "HHT",
    "HYDRAULIC",
    "IDAS",
    "ROTATIONAL",
    "SIGNAL",
    "SX",
    "THERMAL",
    "TRANSLATIONAL",
    "Assembly",
    "AssemblyError",
    "AxialJoint",
    "Baumgarte",
    "BondGraph",
    "BondTable",
    "Causality",
    "Comparison",
    "Compliance",
    "Component",
    "Constraint",
    "Damper",
    "Distribution",
    "Domain",
    "DormandPrince5",
    "DormandPrince853",
    "Effort",
    "EquationSheet",
    "Equilibrium",
    "Final",
    "Finding",
    "Fit",
    "Floquet",
    "Force",
    "Frame",
    "Free",
    "Friction",
    "GeneralizedAlpha",
    "Gradient",
    "GraphInverse",
    "GraphReduction",
    "GraphTransferFunction",
    "Inertia",
    "Integral",
    "IntegrationError",
    "Joint",
    "JointCoordinate",
    "KinematicPort",
    "Kinematics",
    "Law",
    "Limits",
    "Linearization",
    "LinkworkError",
    "LinkworkWarning",
    "Load",
    "Marker",
    "Mode",
    "Model",
    "ModelError",
    "Motion",
    "Newmark",
    "Number",
    "Observer",
    "Optimum",
    "ParticleSystem",
    "PortComponent",
    "Pose",
    "Projection",
    "Pulley",
    "Radau",
    "Regulator",
    "Report",
    "Result",
    "RootLocus",
    "RungeKutta4",
    "Scalar",
    "Sensitivity",
    "Signal",
    "Spring",
    "Stepper",
    "StructuralProperty",
    "Structure",
    "Subgraph",
    "Submodel",
    "SymbolicEquations",
    "Table",
    "UnknownName",
    "Vector",
    "WrenchPort",
    "acos",
    "asin",
    "atan",
    "atan2",
    "component",
    "cos",
    "cross",
    "deg",
    "dot",
    "exp",
    "fabs",
    "floor",
    "fmax",
    "fmin",
    "gym",
    "if_else",
    "load",
    "log",
    "lognormal",
    "loguniform",
    "norm",
    "normal",
    "outlines",
    "rotation",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "rotx",
    "roty",
    "rotz",
    "shapes",
    "shift",
    "signed",
    "sin",
    "sqrt",
    "tan",
    "tanh",
    "translation",
    "triangular",
    "turn",
    "uniform",
]


if not _TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """The public name, or the package, from where it is declared."""
        if name in _places.PACKAGES:
            return _import_module(f"linkwork.{name}")
        if name not in _places.NAMES:
            raise AttributeError(f"module 'linkwork' has no attribute {name!r}", name=name, obj=None)
        home = _import_module(_places.NAMES[name])
        member = getattr(home, name) if hasattr(home, name) else _import_module(f"{home.__name__}.{name}")
        globals()[name] = member
        return member

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})

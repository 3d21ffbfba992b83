"""Linkwork: multibody dynamics for Python. One model, every formulation, native speed."""

from linkwork import analyses, components, files, plots, studio  # noqa: F401  (fill the registries)
from linkwork.analyses.assembling.assemble import Assembly
from linkwork.analyses.bond_table import BondTable
from linkwork.analyses.check import Report
from linkwork.analyses.comparing.comparison import Comparison
from linkwork.analyses.differentiating.objectives import Final, Integral, Scalar
from linkwork.analyses.differentiating.sensitivities import Gradient, Sensitivity
from linkwork.analyses.linearizing.equilibrium import Equilibrium
from linkwork.analyses.linearizing.floquet import Floquet
from linkwork.analyses.linearizing.linearization import Linearization
from linkwork.analyses.linearizing.modes import Mode
from linkwork.analyses.linearizing.root_locus import RootLocus
from linkwork.analyses.optimising.optimum import Optimum
from linkwork.analyses.structure import Structure
from linkwork.analyses.writing.equation_symbols import SymbolicEquations
from linkwork.analyses.writing.equations import EquationSheet
from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.subgraph import Subgraph
from linkwork.components import shapes
from linkwork.components.axial import AxialJoint
from linkwork.components.contacts import outlines
from linkwork.components.joint import Joint, JointCoordinate
from linkwork.components.kinematics import Kinematics
from linkwork.components.laws import Damper, Effort, Free, Friction, Law, Limits, Motion, Spring
from linkwork.components.twist_wrench import KinematicPort, WrenchPort
from linkwork.core.component import Compliance, Component, Constraint, Force, Frame, Load, Marker
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
from linkwork.core.units import deg
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import (
    SX,
    Number,
    Pose,
    Vector,
    cross,
    dot,
    norm,
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
    "Domain",
    "DormandPrince5",
    "DormandPrince853",
    "Effort",
    "EquationSheet",
    "Equilibrium",
    "Final",
    "Finding",
    "Floquet",
    "Force",
    "Frame",
    "Free",
    "Friction",
    "GeneralizedAlpha",
    "Gradient",
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
    "Optimum",
    "PortComponent",
    "Pose",
    "Projection",
    "Radau",
    "Report",
    "Result",
    "RootLocus",
    "RungeKutta4",
    "Scalar",
    "Sensitivity",
    "Signal",
    "Spring",
    "Structure",
    "Subgraph",
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
    "if_else",
    "log",
    "norm",
    "outlines",
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
    "turn",
]

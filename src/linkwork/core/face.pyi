"""What a model can hold and do. Written by `python -m linkwork.core.stub`: change the declarations."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from control.statesp import StateSpace as StatespStateSpace
from linkwork.analyses.check.check import Report
from linkwork.analyses.comparison.comparison import Comparison
from linkwork.analyses.control.observer import Observer
from linkwork.analyses.control.regulator import Regulator
from linkwork.analyses.equilibrium.equilibrium import Equilibrium
from linkwork.analyses.floquet import Floquet
from linkwork.analyses.graphs.inverse.inverse import GraphInverse
from linkwork.analyses.graphs.reduction import GraphReduction
from linkwork.analyses.linearization.linearization import Linearization
from linkwork.analyses.optimisation.optimum import Optimum
from linkwork.analyses.particles import ParticleSystem
from linkwork.analyses.root_locus import RootLocus
from linkwork.analyses.sensitivity.objectives import Scalar
from linkwork.analyses.sensitivity.sensitivities import Gradient, Sensitivity
from linkwork.analyses.structure import Structure
from linkwork.assembly.assemble import Assembly
from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.elements import Element
from linkwork.bondgraph.following.paths_report import Opening
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.reading.state_equations import StateEquations
from linkwork.bondgraph.structural.controllability import StructuralProperty
from linkwork.bondgraph.subgraph import Inserted, Subgraph
from linkwork.bondgraph.transfer.transfer_function import GraphTransferFunction
from linkwork.components.axial import AxialJoint, FixedControlled, FixedIdeal, FixedServo, FreeIdeal, FreeSlide, SpringIdeal
from linkwork.components.backlash import Backlash
from linkwork.components.bodies import Body, Ground, Particle, Solid
from linkwork.components.contacts.cam import Cam
from linkwork.components.contacts.contact import Contact
from linkwork.components.contacts.dry_friction import DryFriction
from linkwork.components.contacts.joint_friction import JointFriction, JointStiction
from linkwork.components.contacts.outlines import Outline
from linkwork.components.contacts.rigid_contact import RigidContact
from linkwork.components.contacts.rolling import KnifeEdge, Rolling, SpeedCondition
from linkwork.components.contacts.tyres import Tyre
from linkwork.components.control.blocks import FirstOrder, Gain, Integrator, Limiter, Product, Signal, Sum
from linkwork.components.control.feedback import Feedback, SampledFeedback
from linkwork.components.control.linear_systems import StateSpace, TransferFunction
from linkwork.components.control.pid import Pid
from linkwork.components.control.sampled import Sampled
from linkwork.components.control.sensors import CoordinateSensor, FrameSensor, Sensor
from linkwork.components.coordinate import Coordinate
from linkwork.components.cosimulation.cosimulation import Cosimulation
from linkwork.components.curve_joints import PointOnCam, PointOnCurve
from linkwork.components.double_prismatic import DoublePrismatic
from linkwork.components.drives.electrics import Capacitor, CurrentSource, Diode, Earth, IdealDiode, Inductor, OpAmp, Resistor, Switch, Transformer, VoltageSource
from linkwork.components.drives.motors import DcMotor
from linkwork.components.drives.shafts import ShaftDamper, ShaftFixed, ShaftInertia, ShaftSpeed, ShaftSpring, ShaftTorque, SlideDamper, SlideFixed, SlideForce, SlideMass, SlideSpeed, SlideSpring
from linkwork.components.drives.thermal import HeatCapacity, HeatConductor, HeatSource, TemperatureSource
from linkwork.components.drives.transmissions import ShaftClutch, ShaftGear, ShaftRack, SlideLever
from linkwork.components.events import Event
from linkwork.components.forces import Bushing, Force, Spring, Torque
from linkwork.components.free_joint import Free
from linkwork.components.hydraulics.cylinder import HydraulicCylinder
from linkwork.components.hydraulics.passages import Chamber, FlowSource, Orifice, PressureSource, Tank
from linkwork.components.hydraulics.pumps import Pump
from linkwork.components.hydraulics.stores import Accumulator, HydraulicLine
from linkwork.components.hydraulics.valves import CheckValve, DirectionalValve, ReliefValve
from linkwork.components.joint import JointCoordinate, JointPort
from linkwork.components.joints import Cylindrical, Distance, Fixed, ParallelAxes, PerpendicularAxes, Planar, PointOnLine, PointOnPlane, Prismatic, Revolute, Rotational, Screw, Spherical, Universal
from linkwork.components.laws import Law
from linkwork.components.plane import Plane
from linkwork.components.points import Point
from linkwork.components.relations import Dependence, Gear, Rack, Relation
from linkwork.components.ropes import Belt, Pulley, Rope
from linkwork.components.solids import Box, Cylinder, Rod, Sphere
from linkwork.components.unknowns import Equation, State, Unknown
from linkwork.components.variables import Condition, Guide, Variable
from linkwork.components.wiring.connections import Attachment, Connection
from linkwork.core.compliance import Compliance
from linkwork.core.component import Marker
from linkwork.core.equations.parts import Placed
from linkwork.core.port import FramePort, Port, PortComponent
from linkwork.core.result import Result
from linkwork.core.signal import Table
from linkwork.export.equations import EquationSheet
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import Number, SX, Vector
from linkwork.geometry.pose import Pose
from linkwork.integrate.solver import Solver
from linkwork.plots.bondgraph.drawing import Drawing
from linkwork.plots.figure import Figure
from linkwork.simulation.stepper.stepper import Stepper
from linkwork.studio.animation import Animation
from linkwork.sweeps.fitted import Fit
from matplotlib.axes._axes import Axes
from matplotlib.figure import Figure as FigureFigure
from numpy import ndarray
from os import PathLike
from pathlib import Path
from sympy.core.expr import Expr
from typing import Any, overload
from xarray.core.dataset import Dataset

class Parts:
    name: str
    ground: Ground

    def axial_joint(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        translation: Law | Sequence[Law] | None = None,
        rotation: Law | Sequence[Law] | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> AxialJoint:
        """Slides along and turns about the common z axis, with one law for each (space only). Both must be said.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        translation = None: along the axis: lw.Motion(…) (the flow is given), or one or several laws for the effort;
            lw.Free(): it is 0
        rotation = None: the same about the axis
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: slide [m], angle [rad]; space only.
        """
        ...

    def fixed_ideal(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> FixedIdeal:
        """Turns freely, does not slide: μ = 0, M = 0. A pin.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: slide [m], angle [rad]; space only.
        """
        ...

    def free_ideal(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> FreeIdeal:
        """Slides and turns freely: F = 0, M = 0.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: slide [m], angle [rad]; space only.
        """
        ...

    def spring_ideal(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        stiffness: Number,
        damping: Number = 0.0,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> SpringIdeal:
        """Turns freely, almost fixed along the axis: F = c ν + d ν̇ on the first body, M = 0.

        It divides axial forces that rigid joints would leave open.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        stiffness [N/m, ≥ 0]: c, along the axis
        damping [N·s/m, ≥ 0] = 0.0: d, along the axis
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: slide [m], angle [rad]; space only.
        """
        ...

    def fixed_controlled(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        torque: Number | Callable[[SX], Number] | Callable[[SX, SX], Number] | Callable[[SX, SX, SX], Number],
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> FixedControlled:
        """Does not slide, turns under a given torque: μ = 0, M = f.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        torque [N·m]: on the second body; or a function of any of t, x (the angle), v
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: slide [m], angle [rad]; space only.
        """
        ...

    def free_slide(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> FreeSlide:
        """Slides freely, does not turn: F = 0, λ = 0.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: slide [m], angle [rad]; space only.
        """
        ...

    def fixed_servo(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        angle: Number | Callable[[SX], Number] | None = None,
        acceleration: Number | Callable[[SX], Number] | Callable[[SX, SX], Number] | Callable[[SX, SX, SX], Number] | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> FixedServo:
        """Does not slide, turns as it is told: μ = 0, and the angle follows a law.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        angle [rad] = None: the angle, a function of t
        acceleration [rad/s²] = None: λ instead, a function of any of t, x (the angle), v; `joint.angle.start(…)` says
            where it begins
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: slide [m], angle [rad]; space only.
        """
        ...

    def backlash(
        self,
        name: str,
        driven: Coordinate,
        driver: Coordinate | None = None,
        *,
        play: Number,
        ratio: Number = 1.0,
        phase: Number = 0.0,
        stiffness: Number = 100000.0,
        dissipation: Number = 0.0,
    ) -> Backlash:
        """A gear with play: driven − ratio · driver − phase is free within ± play/2; beyond, the teeth press.

        Force of the teeth as of `lw.Limits`, k·depth·(1 + dissipation·speed). Without `driver`: play of one coordinate.

        driven: coordinate that is driven
        driver = None: coordinate that drives; None: what stands still
        play [m or rad, > 0]: of `driven`, from one flank to the other
        ratio [≠ 0] = 1.0: turns of `driven` per turn of `driver`
        phase [m or rad] = 0.0: `driven` in the middle of the play, where `driver` is 0
        stiffness [N/m or N·m/rad, > 0] = 100000.0: k, of the flanks, along `driven`
        dissipation [s/m or s/rad, ≥ 0] = 0.0: loss, of Hunt and Crossley
        """
        ...

    def body(
        self,
        name: str,
        *,
        mass: Number,
        inertia: Vector | float | Sequence[Sequence[Number]],
    ) -> Body:
        """A rigid body.

        mass [kg, ≥ 0]: its mass
        inertia [kg·m²]: at the mass centre in body axes: one number (plane); (Ixx, Iyy, Izz[, Ixy, Ixz, Iyz]) or a 3×3
            matrix (space), whose off-diagonal numbers are the matrix elements (products of inertia with their sign)
        """
        ...

    def particle(
        self,
        name: str,
        *,
        mass: Number,
    ) -> Particle:
        """A point mass: it has a place, but no extent. Whatever is attached to it acts at that place.

        mass [kg, ≥ 0]: its mass
        """
        ...

    def cam(
        self,
        name: str,
        on: Marker | Solid,
        at: Marker | Solid,
        *,
        radius: Callable[..., Number] | Table,
        roller: float = 0.0,
        stiffness: Number = 1000000000.0,
        dissipation: Number = 0.0,
    ) -> Cam:
        """A point or roller pressed on a cam: k·depth^1.5·(1 + dissipation·speed), never pulling; it lifts off and lands.

        The depth is normal to the profile (to first order in it). The force goes through the roller's centre.

        on: frame of the cam: its profile lies around z, its angle counts from x
        at: frame of the follower: its point, or the centre of its roller
        radius [m]: distance from the cam's centre as a function of the angle [rad] in its frame: of a full turn, or
            lw.Table(angles, radii, "cubic", ends="periodic") of measured points
        roller [m] = 0.0: radius of the roller that follows; 0: a point
        stiffness [N/m^1.5, > 0] = 1000000000.0: k
        dissipation [s/m, ≥ 0] = 0.0: loss of Hunt and Crossley
        """
        ...

    def contact(
        self,
        name: str,
        at: Marker | Solid,
        on: Marker | Solid | None = None,
        *,
        radius: Number | None = None,
        shape: Outline | None = None,
        other: Outline | None = None,
        height: Callable[[SX], Number] | Callable[[SX, SX], Number] | None = None,
        stiffness: Number = 100000.0,
        exponent: float = 1.5,
        dissipation: Number = 0.0,
        friction: Number = 0.0,
        creep: Number = 0.001,
        bristle: Number | None = None,
        bristle_damping: Number | None = None,
    ) -> Contact:
        """Something that may touch something else, lift off, and slide with friction.

        Flat ground is the x–y plane of `on` with z up (in the plane its x axis, y up). Normal force k δⁿ (1 + d δ̇) at
            each
        touch, never pulling, δ the penetration [m]. Below the speed `creep` friction fades, so that a body at rest
            creeps a
        little; with `bristle` it truly sticks.

        at: frame of what touches
        on = None: frame of what is touched, the ground's unless given
        radius [m, ≥ 0] = None: of a ball instead of `shape`; 0 or None: a point
        shape = None: outline at `at`, such as lw.outlines.Box((0.2, 0.1, 0.1))
        other = None: outline at `on`; None: ground
        height = None: of the ground instead: z = height(x, y) in the axes of `on` (y = height(x) in the plane); None:
            flat
        stiffness [N/mⁿ, > 0] = 100000.0: k
        exponent = 1.5: n: 1.5 for balls of Hertz, 1 for a linear spring
        dissipation [s/m, ≥ 0] = 0.0: d, loss of Hunt and Crossley
        friction [≥ 0] = 0.0: Coulomb's coefficient μ
        creep [m/s, > 0] = 0.001: speed below which friction fades
        bristle [N/m, > 0] = None: stiffness of what sticks; None: it creeps
        bristle_damping [N·s/m, ≥ 0] = None: of what sticks; 0.01 s times its stiffness unless given
        """
        ...

    def dry_friction(
        self,
        name: str,
        coordinate: Coordinate,
        effort: Number,
        *,
        static: Number | None = None,
    ) -> DryFriction:
        """Friction of constant size against the rate of a coordinate; at rest it takes whatever keeps it at rest.

        Events: "name slips", "sticks", "reverses".

        coordinate: what it acts on, such as `O.angle`
        effort [N or N·m, ≥ 0]: while it moves
        static [N or N·m, ≥ 0] = None: the most that it holds at rest, `effort` unless given
        """
        ...

    def joint_friction(
        self,
        name: str,
        coordinate: JointCoordinate,
        friction: Number,
        *,
        radius: Number | None = None,
        spacing: Number | None = None,
        static: Number | None = None,
        preload: Number = 0.0,
        viscous: Number = 0.0,
        stribeck: Number = 0.1,
        regularisation: Number = 0.001,
        lag: Number = 0.001,
    ) -> JointFriction:
        """Friction in a joint from its own reaction, regularised as `lw.Friction` is: at rest it creeps a little.

        coordinate: coordinate of the joint that rubs, such as `O.angle`
        friction [≥ 0]: Coulomb's coefficient μ, while it moves
        radius [m, > 0] = None: of the pin, where an angle rubs; of a slide: where its guide takes a moment about its
            axis; None: it takes none
        spacing [m, > 0] = None: of the two bearings or pads that take moments across the axis; None: they take none
        static [≥ 0] = None: coefficient at rest, μ unless given
        preload [N or N·m, ≥ 0] = 0.0: friction that needs no load: of a seal
        viscous [N·s/m or N·m·s/rad, ≥ 0] = 0.0: effort per rate, beside
        stribeck [m/s or rad/s, > 0] = 0.1: speed over which `static` falls to `friction`
        regularisation [m/s or rad/s, > 0] = 0.001: speed below which it fades
        lag [s, > 0] = 0.001: time in which the load follows the reaction
        """
        ...

    def joint_stiction(
        self,
        name: str,
        coordinate: JointCoordinate,
        friction: Number,
        *,
        radius: Number | None = None,
        spacing: Number | None = None,
        static: Number | None = None,
        preload: Number = 0.0,
        viscous: Number = 0.0,
        lag: Number = 0.001,
    ) -> JointStiction:
        """Friction in a joint from its own reaction that truly sticks; in all else as `joint_friction`.

        Events: "name slips", "sticks", "reverses".

        coordinate: coordinate of the joint that rubs, such as `O.angle`
        friction [≥ 0]: Coulomb's coefficient μ, while it moves
        radius [m, > 0] = None: of the pin, where an angle rubs; of a slide: where its guide takes a moment about its
            axis; None: it takes none
        spacing [m, > 0] = None: of the two bearings or pads that take moments across the axis; None: they take none
        static [≥ 0] = None: coefficient at rest, μ unless given
        preload [N or N·m, ≥ 0] = 0.0: friction that needs no load: of a seal
        viscous [N·s/m or N·m·s/rad, ≥ 0] = 0.0: effort per rate, beside
        lag [s, > 0] = 0.001: time in which the load follows the reaction
        """
        ...

    def rigid_contact(
        self,
        name: str,
        at: Marker | Solid,
        on: Marker | Solid | None = None,
        *,
        radius: Number | None = None,
        shape: Outline | None = None,
        other: Outline | None = None,
        height: Callable[[SX], Number] | Callable[[SX, SX], Number] | None = None,
        restitution: Number = 0.0,
        friction: Number = 0.0,
        static: Number | None = None,
        rest: Number = 1e-05,
    ) -> RigidContact:
        """Two outlines that do not penetrate each other, by impulses when they hit and by forces while they touch.

        Flat ground is the x–y plane of `on` with z up (in the plane its x axis, y up).
        Events: "name hits", "rests", "lifts", "slips", "sticks", "reverses", "jams".

        at: frame of what touches
        on = None: frame of what is touched, the ground's unless given
        radius [m, ≥ 0] = None: of a ball instead of `shape`; 0 or None: a point
        shape = None: outline at `at`, such as lw.outlines.Box((0.2, 0.1, 0.1))
        other = None: outline at `on`; None: ground
        height = None: of the ground instead: z = height(x, y) in the axes of `on` (y = height(x) in the plane); None:
            flat
        restitution [0 … 1] = 0.0: part of the normal speed that returns from an impact
        friction [≥ 0] = 0.0: Coulomb's coefficient μ, of impulses too
        static [≥ 0] = None: coefficient of sticking, μ unless given
        rest [m/s, > 0] = 1e-05: rebounds slower than this end the bouncing
        """
        ...

    def rolling(
        self,
        name: str,
        at: Marker | Solid,
        on: Marker | Solid | None = None,
        *,
        radius: Number,
        crown: Number = 0.0,
        height: Callable[[SX], Number] | Callable[[SX, SX], Number] | None = None,
        other: Outline | None = None,
    ) -> Rolling:
        """A wheel or ball that rolls without slip and never lifts off.

        It rolls on the plane of `on`, on ground, or on the outline `other`. In a planar model it is a circle that rolls
        along the x axis of `on`, or on y = height(x).

        at: frame at its centre, whose z axis is the axle
        on = None: frame of what it rolls on, the ground's unless given
        radius [m, > 0]: of the wheel
        crown [m, ≥ 0] = 0.0: radius of the rim's cross-section: 0 for a thin disc, `radius` for a ball
        height = None: of the ground instead: z = height(x, y) in the axes of `on` (y = height(x) in the plane); None:
            flat
        other = None: outline at `on`; None: ground
        """
        ...

    def knife_edge(
        self,
        name: str,
        at: Marker | Solid,
        on: Marker | Solid | None = None,
    ) -> KnifeEdge:
        """A skate, blade or thin wheel: its point moves along its x axis only, not along y, relative to `on`.

        at: frame of what touches
        on = None: frame of what is touched, the ground's unless given
        """
        ...

    def speed_condition(
        self,
        name: str,
        function: Callable[..., Number | Sequence[Number]],
        *things: Coordinate | Marker | Solid,
    ) -> SpeedCondition:
        """Any equation that speeds must fulfil: `function(*things)` gives expressions, linear in speeds, that vanish.

        function: gives what vanishes, linear in speeds
        things: what it sees: frames (p, x, y, z, v, w), coordinates (value, rate)
        """
        ...

    def tyre(
        self,
        name: str,
        at: Marker | Solid,
        on: Marker | Solid | None = None,
        *,
        radius: Number,
        stiffness: Number = 200000.0,
        damping: Number = 500.0,
        cornering: Number = 60000.0,
        slip_stiffness: Number = 80000.0,
        friction: Number = 1.0,
        creep: Number = 0.1,
        height: Callable[[SX], Number] | Callable[[SX, SX], Number] | None = None,
    ) -> Tyre:
        """A tyre between a wheel and the road.

        The road is the x–y plane of `on` with z up (in a planar model its x axis with y up), or of a given height.
            Forces
        ahead and aside stay together below friction × load.
        Slip is slip velocity over the speed ahead, counted as `creep` [m/s] where the wheel is slower: a tyre at rest
            holds
        like a stiff damper, so that it creeps a little. The road must be smooth, with radii of curvature above the
            wheel's;
        a wheel that lies on its side is not described.

        at: frame at the wheel's centre, whose z axis is the axle (ahead is to its right; in the plane along x)
        on = None: frame of the road, the ground's unless given
        radius [m, > 0]: of the unloaded wheel
        stiffness [N/m, > 0] = 200000.0: radial
        damping [N·s/m, ≥ 0] = 500.0: radial; it never pulls
        cornering [N/rad, ≥ 0] = 60000.0: force aside per slip angle, at small slip
        slip_stiffness [N, ≥ 0] = 80000.0: force ahead per unit of slip, at small slip
        friction [≥ 0] = 1.0: largest share of the load that it grips with
        creep [m/s, > 0] = 0.1: least speed ahead that slip is counted by
        height = None: of the ground instead: z = height(x, y) in the axes of `on` (y = height(x) in the plane); None:
            flat
        """
        ...

    def signal(
        self,
        name: str,
        u: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        *,
        start: Number | None = None,
    ) -> Signal:
        """A signal as a block: y = u, for what several inputs are to follow.

        u = None: a number, expression, function of t, table or output; None: connected later
        start = None: y at the start
        """
        ...

    def gain(
        self,
        name: str,
        u: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        *,
        gain: Number,
    ) -> Gain:
        """y = gain · u.

        u = None: a number, expression, function of t, table or output; None: connected later
        gain: factor
        """
        ...

    def sum(
        self,
        name: str,
        *inputs: Number | Callable[[SX], Number] | Port | PortComponent | None,
        weights: Sequence[Number] | None = None,
    ) -> Sum:
        """y = Σ weight·input.

        inputs: signals; those that are None are ports u1, u2, …
        weights = None: one per input, 1 unless given
        """
        ...

    def product(
        self,
        name: str,
        *inputs: Number | Callable[[SX], Number] | Port | PortComponent | None,
    ) -> Product:
        """y = product of the inputs.

        inputs: signals; those that are None are ports u1, u2, …
        """
        ...

    def limiter(
        self,
        name: str,
        u: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        *,
        lower: Number,
        upper: Number,
    ) -> Limiter:
        """y = u between `lower` and `upper`, else the bound.

        u = None: a number, expression, function of t, table or output; None: connected later
        lower: least y
        upper: largest y
        """
        ...

    def integrator(
        self,
        name: str,
        u: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        *,
        gain: Number = 1.0,
        start: Number = 0.0,
    ) -> Integrator:
        """dy/dt = gain · u.

        u = None: a number, expression, function of t, table or output; None: connected later
        gain = 1.0: factor
        start = 0.0: y at the start
        """
        ...

    def first_order(
        self,
        name: str,
        u: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        *,
        time: Number,
        gain: Number = 1.0,
        start: Number = 0.0,
    ) -> FirstOrder:
        """A lag: time·dy/dt = gain · u − y.

        u = None: a number, expression, function of t, table or output; None: connected later
        time [s, > 0]: time constant
        gain = 1.0: factor
        start = 0.0: y at the start
        """
        ...

    def feedback(
        self,
        name: str,
        readings: Mapping[str, float],
        gains: Mapping[str, Sequence[float]],
        *,
        A: Sequence[Sequence[float]] | ndarray | None = None,
        B: Sequence[Sequence[float]] | ndarray | None = None,
        C: Sequence[Sequence[float]] | ndarray | None = None,
    ) -> Feedback:
        """A linear controller: adds δu = C x + D δy to inputs, dx/dt = A x + B δy; δy is what channels are off their rest.

        Inputs keep their meaning: what is given for one is what the feedback is added to.

        readings: channel → its value where the model is to rest
        gains: input → D: what is added to it per deviation of each reading
        A = None: n×n; None: it remembers nothing
        B = None: n×(readings)
        C = None: (inputs)×n
        """
        ...

    def sampled_feedback(
        self,
        name: str,
        readings: Mapping[str, float],
        gains: Mapping[str, Sequence[float]],
        *,
        period: float,
        A: Sequence[Sequence[float]] | ndarray | None = None,
        B: Sequence[Sequence[float]] | ndarray | None = None,
        C: Sequence[Sequence[float]] | ndarray | None = None,
    ) -> SampledFeedback:
        """The same every `period` [s]: x is that of the next sample in place of dx/dt; what is added is held in between.

        readings: channel → its value where the model is to rest
        gains: input → D: what is added to it per deviation of each reading
        period [s]: between two samples
        A = None: n×n; None: it remembers nothing
        B = None: n×(readings)
        C = None: (inputs)×n
        """
        ...

    def transfer_function(
        self,
        name: str,
        u: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        *,
        numerator: Sequence[Number],
        denominator: Sequence[Number],
    ) -> TransferFunction:
        """Y(s)/U(s) = numerator/denominator; it starts at rest.

        Any proper one: the numerator is of no higher order than the denominator.

        u = None: a number, expression, function of t, table or output; None: connected later
        numerator: coefficients, the highest power first
        denominator: coefficients, the highest power first
        """
        ...

    def state_space(
        self,
        name: str,
        *inputs: Number | Callable[[SX], Number] | Port | PortComponent | None,
        A: Vector | float | Sequence[Sequence[Number]],
        B: Vector | float | Sequence[Sequence[Number]],
        C: Vector | float | Sequence[Sequence[Number]],
        D: Vector | float | Sequence[Sequence[Number]] | None = None,
        start: Sequence[Number] | None = None,
    ) -> StateSpace:
        """dx/dt = A x + B u, y = C x + D u; inputs u (or u1, u2, …), outputs y (or y1, y2, …).

        inputs: a signal for each column of B; none: ports, connected later
        A: n×n
        B: n×(inputs)
        C: (outputs)×n
        D = None: (outputs)×(inputs), 0 unless given
        start = None: x at the start, 0 unless given
        """
        ...

    def pid(
        self,
        name: str,
        coordinate: Port | PortComponent | Coordinate | None = None,
        target: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        *,
        kp: Number = 0.0,
        ki: Number = 0.0,
        kd: Number = 0.0,
        limit: Number | None = None,
        measured: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        filter: Number = 0.0,
    ) -> Pid:
        """A controller that brings x to `target`: kp e + ki ∫e dt + kd (ṙ − ẋ), e = r − x.

        Without a coordinate it takes the signal `measured` and gives the signal `y`.

        coordinate = None: what it measures and pushes
        target = None: r: a number, expression, function of t, table or signal
        kp = 0.0: proportional gain
        ki = 0.0: integral gain
        kd = 0.0: derivative gain
        limit [> 0] = None: largest effort, beyond which the integral stands still
        measured = None: x as a signal, instead of a coordinate
        filter [s, ≥ 0] = 0.0: time constant of the derivative, 0: none
        """
        ...

    def sampled(
        self,
        name: str,
        *inputs: Number | Callable[[SX], Number] | Port | PortComponent | None,
        period: float,
        law: Callable[..., Number | Sequence[Number]],
        memory: Sequence[Number] = (),
        offset: float = 0.0,
        start: Number = 0.0,
    ) -> Sampled:
        """A discrete controller: every `period` [s] it samples its inputs, and holds what `law` gives until the next time.

        `law=lambda e, s: (2*e + s, s + 0.1*e)` is called once, with symbols. Its output is `y`.

        inputs: signals that it samples; those that are None are ports
        period [s]: between two samples
        law: of inputs and memory: gives the output, then the next value of each memory
        memory = (): start values of what it remembers
        offset [s] = 0.0: when it samples first
        start = 0.0: the output before
        """
        ...

    def sensor(
        self,
        name: str,
        expression: SX,
        *,
        unit: str = '',
    ) -> Sensor:
        """y = an expression of port variables and states of other components: `m.sensor("i", motor.current)`.

        expression: of port variables and states, such as `chamber.pressure`
        unit = '': of the reading
        """
        ...

    def coordinate_sensor(
        self,
        name: str,
        coordinate: Coordinate | Port | PortComponent,
        what: str = 'value',
    ) -> CoordinateSensor:
        """y = value, rate, acceleration or effort of a coordinate or flange.

        coordinate: what it reads, such as `O.angle`
        what = 'value': or "rate", "acceleration", "effort": the sum of the laws on it, without that of a servo
        """
        ...

    def frame_sensor(
        self,
        name: str,
        at: Marker | Solid,
        what: str = 'position',
        *,
        along: Sequence[float] | ndarray = (1, 0, 0),
        base: Marker | Solid | None = None,
    ) -> FrameSensor:
        """y = a motion of a frame along a direction: position, velocity, acceleration [m, m/s, m/s²] or spin [rad/s].

        at: frame whose motion it reads
        what = 'position': or "velocity", "acceleration", "spin"
        along = (1, 0, 0): direction, 2 or 3 numbers, in world axes or those of `base`
        base = None: frame it is seen from: its origin is taken off, and its velocity; accelerations are in world axes
            only
        """
        ...

    def cosimulation(
        self,
        name: str,
        file: str,
        *,
        step: float,
        inputs: Mapping[str, Number | Callable[[SX], Number] | Port | PortComponent | str | None] | None = None,
        outputs: Mapping[str, str] | Sequence[str] | str | None = None,
        parameters: Mapping[str, Number | str] | None = None,
        tolerance: float | None = None,
    ) -> Cosimulation:
        """An FMU of another program as a component: every `step` [s] it is given its inputs, and its outputs are taken.

        Both are held in between. `drive["tau"]` is an output as a signal, also `drive.tau`. A run executes the code in
            the
        FMU: use those only that you trust. Needs FMPy (`pip install "linkwork[fmi]"`).

        file: its path: an FMU for co-simulation or model exchange, FMI 2.0 or 3.0
        step [s]: between two exchanges
        inputs = None: input of the FMU → a number, expression, function of t, table or output; or the name of a
            channel; None: a port that is connected later
        outputs = None: outputs to take, all unless given; {own name: output of the FMU} renames
        parameters = None: start values: parameter of the FMU → number or text
        tolerance = None: relative, for the solver in the FMU, or for ours where it has none
        """
        ...

    def point_on_curve(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        height: Callable[..., Number] | Table,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> PointOnCurve:
        """The origin of N stays on y = height(x), z = 0 of M: a bead on a track. Free: x along it, and its rotation.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        height [m]: of x [m], in the axes of M; lw.Table(x, y, "cubic") of measured points
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: along [m], rx [rad], ry [rad], rz [rad]; in the plane: along [m], rz [rad].
        """
        ...

    def point_on_cam(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        radius: Callable[..., Number] | Table,
        roller: float = 0.0,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> PointOnCam:
        """The origin of N, a point or the centre of a roller, stays on a cam around z of M. Free: its angle, rotation.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        radius [m]: distance from the cam's centre as a function of the angle [rad] in its frame: of a full turn, or
            lw.Table(angles, radii, "cubic", ends="periodic") of measured points
        roller [m] = 0.0: radius of the roller that follows; 0: a point
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: angle [rad], rx [rad], ry [rad], rz [rad]; in the plane: angle [rad], rz [rad].
        """
        ...

    def double_prismatic(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> DoublePrismatic:
        """Slides along x of the first frame and along y of the second, which stays parallel to it: a cross slide.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: slide1 [m], slide2 [m]; in the plane: slide1 [m], slide2 [m].
        """
        ...

    def earth(
        self,
        name: str,
        p: Port | PortComponent | Coordinate | None = None,
    ) -> Earth:
        """Zero volts; each circuit needs one.

        p = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        """
        ...

    def voltage_source(
        self,
        name: str,
        voltage: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        p: Port | PortComponent | Coordinate | None = None,
        n: Port | PortComponent | Coordinate | None = None,
    ) -> VoltageSource:
        """A given voltage from p to n.

        voltage [V] = None: a number, expression, function of t, table or signal; None: a port that is connected later
        p = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        n = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        """
        ...

    def current_source(
        self,
        name: str,
        current: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        p: Port | PortComponent | Coordinate | None = None,
        n: Port | PortComponent | Coordinate | None = None,
    ) -> CurrentSource:
        """A given current that leaves at p and comes back at n.

        current [A] = None: a number, expression, function of t, table or signal; None: a port that is connected later
        p = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        n = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        """
        ...

    def resistor(
        self,
        name: str,
        p: Port | PortComponent | Coordinate | None = None,
        n: Port | PortComponent | Coordinate | None = None,
        *,
        resistance: Number,
        heat: Port | PortComponent | Coordinate | None = None,
    ) -> Resistor:
        """v = R i.

        p = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        n = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        resistance [Ω, > 0]: R
        heat = None: thermal port that takes the loss; None: it is lost to the balance
        """
        ...

    def inductor(
        self,
        name: str,
        p: Port | PortComponent | Coordinate | None = None,
        n: Port | PortComponent | Coordinate | None = None,
        *,
        inductance: Number,
        current: Number | None = None,
    ) -> Inductor:
        """L di/dt = v.

        p = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        n = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        inductance [H, > 0]: L
        current [A] = None: at the start, 0 unless given
        """
        ...

    def capacitor(
        self,
        name: str,
        p: Port | PortComponent | Coordinate | None = None,
        n: Port | PortComponent | Coordinate | None = None,
        *,
        capacitance: Number,
        voltage: Number | None = None,
    ) -> Capacitor:
        """C dv/dt = i.

        p = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        n = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        capacitance [F, > 0]: C
        voltage [V] = None: at the start, 0 unless given
        """
        ...

    def diode(
        self,
        name: str,
        p: Port | PortComponent | Coordinate | None = None,
        n: Port | PortComponent | Coordinate | None = None,
        *,
        saturation: Number = 1e-09,
        thermal: Number = 0.05,
        limit: Number | None = None,
    ) -> Diode:
        """i = I_s (exp(v/V_T) − 1) from p to n.

        Beyond `limit` the exponential goes on as a straight line, so that a poor guess does not overflow.

        p = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        n = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        saturation [A, > 0] = 1e-09: current I_s
        thermal [V, > 0] = 0.05: voltage V_T
        limit [V] = None: where the line begins, 40 V_T unless given
        """
        ...

    def ideal_diode(
        self,
        name: str,
        p: Port | PortComponent | Coordinate | None = None,
        n: Port | PortComponent | Coordinate | None = None,
        *,
        drop: Number = 0.0,
        on: Number = 0.001,
        off: Number = 1000000000.0,
    ) -> IdealDiode:
        """A valve for current: from p to n it leads as a resistance `on` [Ω] beyond a voltage `drop` [V], the other way it
        blocks as a resistance `off` [Ω].

        on=0 and off=math.inf are allowed, where something else determines current and voltage then. Its state is an
            event:
        the run stops where it changes. `D.s` is the current [A] where it is positive, else the voltage less `drop` [V].

        p = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        n = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        drop [V, ≥ 0] = 0.0: voltage beyond which it leads
        on [Ω, ≥ 0] = 0.001: resistance where it leads; 0 if ideal
        off [Ω, > 0] = 1000000000.0: resistance where it blocks; math.inf if ideal
        """
        ...

    def switch(
        self,
        name: str,
        p: Port | PortComponent | Coordinate | None = None,
        n: Port | PortComponent | Coordinate | None = None,
        *,
        closed: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        on: Number = 0.001,
        off: Number = 1000000000.0,
    ) -> Switch:
        """Closed where the signal `closed` is above 0.5.

        on=0 and off=math.inf: an ideal one, where something else determines current and voltage then.

        p = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        n = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        closed = None: a signal; closed where it is above 0.5
        on [Ω, ≥ 0] = 0.001: resistance where it leads; 0 if ideal
        off [Ω, > 0] = 1000000000.0: resistance where it blocks; math.inf if ideal
        """
        ...

    def transformer(
        self,
        name: str,
        p1: Port | PortComponent | Coordinate | None = None,
        n1: Port | PortComponent | Coordinate | None = None,
        p2: Port | PortComponent | Coordinate | None = None,
        n2: Port | PortComponent | Coordinate | None = None,
        *,
        ratio: Number,
    ) -> Transformer:
        """Ideal: v₂ = n v₁, i₁ = −n i₂.

        p1 = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        n1 = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        p2 = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        n2 = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        ratio [≠ 0]: n, turns of the secondary winding per turn of the primary one
        """
        ...

    def op_amp(
        self,
        name: str,
        p1: Port | PortComponent | Coordinate | None = None,
        n1: Port | PortComponent | Coordinate | None = None,
        p2: Port | PortComponent | Coordinate | None = None,
        n2: Port | PortComponent | Coordinate | None = None,
    ) -> OpAmp:
        """Ideal operational amplifier: no voltage between p1 and n1, no current into them; the output p2 – n2 gives what
        that takes.

        p1 = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        n1 = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        p2 = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        n2 = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        """
        ...

    def dc_motor(
        self,
        name: str,
        coordinate: Port | PortComponent | Coordinate | None = None,
        *,
        voltage: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        resistance: Number,
        inductance: Number,
        constant: Number,
        ratio: Number = 1.0,
        current: Number | None = None,
        p: Port | PortComponent | Coordinate | None = None,
        n: Port | PortComponent | Coordinate | None = None,
    ) -> DcMotor:
        """A DC motor on a coordinate or flange: L di/dt = u − R i − K n ω, torque n K i.

        Without a voltage it has electric ports p and n. Flange: `shaft`.

        coordinate = None: what it turns: a coordinate or a flange; None: connected later
        voltage [V] = None: u: a number, expression, function of t, table or signal
        resistance [Ω, > 0]: R
        inductance [H, > 0]: L
        constant [N·m/A = V·s/rad, ≠ 0]: K
        ratio [≠ 0] = 1.0: n, motor turns per turn (radians per metre) of the coordinate
        current [A] = None: at the start, 0 unless given
        p = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        n = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        """
        ...

    def shaft_inertia(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        *,
        inertia: Number,
        angle: Number | None = None,
        speed: Number | None = None,
    ) -> ShaftInertia:
        """A rotor: J·dω/dt = torque.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        inertia [kg·m², > 0]: J
        angle [rad] = None: at the start, if nothing rigid decides about it
        speed [rad/s] = None: at the start, if nothing rigid decides about it
        """
        ...

    def slide_mass(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        *,
        mass: Number,
        position: Number | None = None,
        speed: Number | None = None,
    ) -> SlideMass:
        """A mass on a line: m·dv/dt = force.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        mass [kg, > 0]: m
        position [m] = None: at the start, if nothing rigid decides about it
        speed [m/s] = None: at the start, if nothing rigid decides about it
        """
        ...

    def shaft_spring(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
        *,
        stiffness: Number,
        damping: Number = 0.0,
        rest: Number = 0.0,
    ) -> ShaftSpring:
        """An elastic shaft.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        stiffness [N·m/rad, ≥ 0]: torque per twist
        damping [N·m·s/rad, ≥ 0] = 0.0: torque per speed of twist
        rest [rad] = 0.0: twist without torque
        """
        ...

    def slide_spring(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
        *,
        stiffness: Number,
        damping: Number = 0.0,
        rest: Number = 0.0,
    ) -> SlideSpring:
        """A spring on a line.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        stiffness [N/m, ≥ 0]: force per stretch
        damping [N·s/m, ≥ 0] = 0.0: force per speed of stretch
        rest [m] = 0.0: position of a less that of b without force
        """
        ...

    def shaft_damper(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
        *,
        damping: Number,
    ) -> ShaftDamper:
        """A viscous bearing or coupling.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        damping [N·m·s/rad, ≥ 0]: torque per speed
        """
        ...

    def slide_damper(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
        *,
        damping: Number,
    ) -> SlideDamper:
        """A viscous damper on a line.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        damping [N·s/m, ≥ 0]: force per speed
        """
        ...

    def shaft_fixed(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        *,
        at: Number = 0.0,
    ) -> ShaftFixed:
        """A housing: its flange stays at an angle.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        at [rad] = 0.0: the angle
        """
        ...

    def slide_fixed(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        *,
        at: Number = 0.0,
    ) -> SlideFixed:
        """A wall: its flange stays at a position.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        at [m] = 0.0: the position
        """
        ...

    def shaft_torque(
        self,
        name: str,
        effort: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        a: Port | PortComponent | Coordinate | None = None,
    ) -> ShaftTorque:
        """A given torque on its flange.

        effort [N·m] = None: a number, expression, function of t, table or signal; None: a port that is connected later
        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        """
        ...

    def slide_force(
        self,
        name: str,
        effort: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        a: Port | PortComponent | Coordinate | None = None,
    ) -> SlideForce:
        """A given force on its flange.

        effort [N] = None: a number, expression, function of t, table or signal; None: a port that is connected later
        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        """
        ...

    def shaft_speed(
        self,
        name: str,
        speed: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        a: Port | PortComponent | Coordinate | None = None,
        *,
        start: Number | None = None,
    ) -> ShaftSpeed:
        """A given speed of a shaft.

        speed [rad/s] = None: a number, expression, function of t, table or signal; None: a port that is connected later
        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        start [rad] = None: its angle at the start
        """
        ...

    def slide_speed(
        self,
        name: str,
        speed: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        a: Port | PortComponent | Coordinate | None = None,
        *,
        start: Number | None = None,
    ) -> SlideSpeed:
        """A given speed along a line.

        speed [m/s] = None: a number, expression, function of t, table or signal; None: a port that is connected later
        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        start [m] = None: its position at the start
        """
        ...

    def heat_capacity(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        *,
        capacity: Number,
        temperature: Number = 293.15,
    ) -> HeatCapacity:
        """C dT/dt = heat flow in.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        capacity [J/K, > 0]: C
        temperature [K, ≥ 0] = 293.15: at the start
        """
        ...

    def heat_conductor(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
        *,
        conductance: Number,
    ) -> HeatConductor:
        """Heat flow G (T_a − T_b).

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        conductance [W/K, > 0]: G
        """
        ...

    def temperature_source(
        self,
        name: str,
        temperature: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        a: Port | PortComponent | Coordinate | None = None,
    ) -> TemperatureSource:
        """A given temperature.

        temperature [K, ≥ 0] = None: a number, expression, function of t, table or signal; None: a port that is
            connected later
        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        """
        ...

    def heat_source(
        self,
        name: str,
        heat: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        a: Port | PortComponent | Coordinate | None = None,
    ) -> HeatSource:
        """A given heat flow out of it.

        heat [W] = None: a number, expression, function of t, table or signal; None: a port that is connected later
        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        """
        ...

    def shaft_gear(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
        *,
        ratio: Number,
    ) -> ShaftGear:
        """A gear without mass or loss: angle_a = ratio · angle_b.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        ratio [≠ 0]: turns of a per turn of b, negative to reverse
        """
        ...

    def slide_lever(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
        *,
        ratio: Number,
    ) -> SlideLever:
        """A lever or hydraulic intensifier without mass: position_a = ratio · position_b.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        ratio [≠ 0]: way of a per way of b
        """
        ...

    def shaft_rack(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
        *,
        radius: Number,
    ) -> ShaftRack:
        """A pinion a on a rack b: position_b = radius · angle_a.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        radius [m, ≠ 0]: of the pinion, negative to reverse
        """
        ...

    def shaft_clutch(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
        *,
        engagement: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        capacity: Number,
        creep: Number = 0.01,
    ) -> ShaftClutch:
        """A friction clutch: torque = engagement · capacity · tanh(slip/creep), from a to b.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        engagement = None: a signal, 0 (open) … 1 (closed)
        capacity [N·m, > 0]: largest torque
        creep [rad/s, > 0] = 0.01: slip speed below which it sticks as a viscous coupling
        """
        ...

    def event(
        self,
        name: str,
        function: Callable[..., Number],
        *things: Coordinate | Marker,
        direction: int = 0,
        action: str = 'record',
    ) -> Event:
        """Locates the zeros of `function(*things)`.

        function: gives what crosses zero
        things: what it is a function of: joint coordinates (values), frames (p, x, y, z, v, w)
        direction = 0: 1: rising only, -1: falling only, 0: both
        action = 'record': its time is recorded; or "stop": the run ends there, "restart": the equations have a kink
            there
        """
        ...

    def spring(
        self,
        name: str,
        a: Marker | Solid,
        b: Marker | Solid,
        *,
        stiffness: Number = 0,
        length: Number | Callable[[SX], Number] = 0,
        damping: Number = 0,
    ) -> Spring:
        """Spring and damper along the line between two points.

        The length may change: what it takes to change it counts as supplied.

        a: one end, a frame or a body
        b: the other end
        stiffness [N/m, ≥ 0 or lw.signed] = 0: force per stretch
        length [m, ≥ 0 or lw.signed] = 0: unstretched; may change: an expression, or a function of t
        damping [N·s/m, ≥ 0 or lw.signed] = 0: force per speed of stretch
        """
        ...

    def force(
        self,
        name: str,
        at: Marker | Solid,
        vector: Vector | Callable[..., Vector],
        *,
        frame: str = 'world',
        reaction: Marker | Solid | None = None,
    ) -> Force:
        """A force [N] at a frame's origin: (fx, fy[, fz]) or a function of t, a (this frame), b (the reaction's frame).

        at: frame it acts at, or a body
        vector [N]: (fx, fy[, fz]), or a function that gives it
        frame = 'world': "world": axes stay fixed; "body": it turns with the body the frame is on
        reaction = None: frame that the opposite acts on; None: nothing does
        """
        ...

    def torque(
        self,
        name: str,
        at: Marker | Solid,
        vector: Vector | float | Callable[..., Vector | float],
        *,
        frame: str = 'world',
        reaction: Marker | Solid | None = None,
    ) -> Torque:
        """A torque [N·m] on a body: one number in the plane, (mx, my, mz) in space, or a function as for `force`.

        at: frame it acts at, or a body
        vector [N·m]: one number (plane), (mx, my, mz) (space), or a function that gives it
        frame = 'world': "world": axes stay fixed; "body": it turns with the body the frame is on
        reaction = None: frame that the opposite acts on; None: nothing does
        """
        ...

    def bushing(
        self,
        name: str,
        a: Marker | Solid,
        b: Marker | Solid,
        *,
        stiffness: Vector | float,
        damping: Vector | float = 0,
        torsion: Vector | float = 0,
        torsion_damping: Vector | float = 0,
    ) -> Bushing:
        """Elastic mount in six directions (three in the plane) between two frames, in the axes of the first.

        Rotations are taken as the rotation vector: exact for one axis, for small angles in general.

        a: the first frame, whose axes are meant
        b: the second frame
        stiffness [N/m, ≥ 0 or lw.signed]: along x, y, z; (kx, ky) in the plane; one for all
        damping [N·s/m, ≥ 0 or lw.signed] = 0: along x, y, z
        torsion [N·m/rad, ≥ 0 or lw.signed] = 0: about x, y, z; about z in the plane
        torsion_damping [N·m·s/rad, ≥ 0 or lw.signed] = 0: about x, y, z
        """
        ...

    def free(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        sequence: str = 'zyx',
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> Free:
        """Blocks nothing: position x, y, z of N in the axes of M, and its orientation as three angles (space only).

        The angles follow each other as `sequence` says, each about an axis that the last has turned: roll about x,
            pitch
        about y, yaw about z; `angle1`, `angle2`, `angle3` where an axis comes twice ("zxz": Euler's). All but the
            second
        count full turns. Where that is a quarter turn (0 or a half, in Euler's), the first reads 0; states have no
            poles,
        but what laws and drives of the others ask for grows without bound there.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        sequence = 'zyx': axes of the angles; "zyx": yaw, then pitch, then roll
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: x [m], y [m], z [m], roll [rad], pitch [rad], yaw [rad]; space only.
        """
        ...

    def hydraulic_cylinder(
        self,
        name: str,
        *along: Coordinate | Port | Marker | Solid,
        head: Port | PortComponent | Coordinate | None = None,
        rod: Port | PortComponent | Coordinate | None = None,
        head_area: Number = 0.0,
        rod_area: Number = 0.0,
        length: Number = 0.0,
        head_volume: Number | None = None,
        rod_volume: Number | None = None,
        bulk_modulus: Number | None = None,
        pressure: Number | Sequence[Number] | None = None,
        damping: Number = 0.0,
    ) -> HydraulicCylinder:
        """A double- or single-acting cylinder: pushes with p_head·head_area − p_rod·rod_area [N] (SYM (25)).

        A side with an area and nothing given is a port to be connected (`head`, `rod`), one without area is open. With
            a
        bulk modulus the oil inside gives way; without it, and without chambers, the oil is rigid.

        along: a coordinate that is its extension (`P.slide`), or the two frames it is mounted between
        head = None: a chamber, whose volume then holds at extension 0, or any hydraulic port
        rod = None: the same on the side of the rod
        head_area [m², ≥ 0] = 0.0: of the piston on the head side; 0: none
        rod_area [m², ≥ 0] = 0.0: of the piston on the rod side; 0: none
        length [m] = 0.0: distance of the frames at extension 0
        head_volume [m³, > 0] = None: of oil at extension 0, with a bulk modulus
        rod_volume [m³, > 0] = None: of oil at extension 0, with a bulk modulus
        bulk_modulus [Pa, > 0] = None: of the oil inside; None: it is rigid
        pressure [Pa, ≥ -101325] = None: at the start, one number or (head, rod); 0 unless given
        damping [N·s/m, ≥ 0] = 0.0: viscous friction of the seals
        """
        ...

    def chamber(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        *,
        volume: Number,
        bulk_modulus: Number,
        pressure: Number | None = None,
        vapour: Number = -101325.0,
    ) -> Chamber:
        """A volume of compressible oil: V/K·ṗ = inflow − V̇ (SYM (24)).

        What is drawn out where the oil boils leaves vapour behind: the pressure stays there. Port: `a`.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        volume [m³, > 0]: V, at the zero position of cylinders that have this chamber
        bulk_modulus [Pa, > 0]: K, of the oil
        pressure [Pa, ≥ -101325] = None: at the start, 0 unless given
        vapour [Pa, ≥ -101325] = -101325.0: pressure at which the oil boils
        """
        ...

    def pressure_source(
        self,
        name: str,
        pressure: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        a: Port | PortComponent | Coordinate | None = None,
    ) -> PressureSource:
        """A pressure that is given. Port: `a`.

        pressure [Pa, ≥ -101325] = None: a number, expression, function of t, table or signal; None: a port that is
            connected later
        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        """
        ...

    def tank(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        *,
        pressure: Number | Callable[[SX], Number] | Port | PortComponent | None = 0.0,
    ) -> Tank:
        """A reservoir: its pressure stays the same whatever flows in.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        pressure [Pa, ≥ -101325] = 0.0: in it
        """
        ...

    def orifice(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
        *,
        area: Number | Callable[[SX], Number] | Port | PortComponent | None,
        discharge: Number = 0.611,
        density: Number = 860.0,
        laminar: Number = 100.0,
    ) -> Orifice:
        """Turbulent throttling (SYM (23)): Q = C_d·A·√(2|Δp|/ρ)·sign Δp, from a to b.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        area [m², ≥ 0]: A: a number, expression, function of t, table or signal
        discharge [> 0] = 0.611: coefficient C_d
        density [kg/m³, > 0] = 860.0: ρ, of the oil
        laminar [Pa, > 0] = 100.0: below about this drop the flow becomes linear: the root has an infinite slope at
            zero, which no real edge has
        """
        ...

    def flow_source(
        self,
        name: str,
        flow: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
    ) -> FlowSource:
        """A given flow from a to b, whatever pressure that takes.

        flow [m³/s] = None: a number, expression, function of t, table or signal; None: a port that is connected later
        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        """
        ...

    def pump(
        self,
        name: str,
        shaft: Port | PortComponent | Coordinate | None = None,
        suction: Port | PortComponent | Coordinate | None = None,
        delivery: Port | PortComponent | Coordinate | None = None,
        *,
        displacement: Number,
        setting: Number | Callable[[SX], Number] | Port | PortComponent | None = 1.0,
        leakage: Number = 0.0,
        friction: Number = 0.0,
    ) -> Pump:
        """Moves displacement·setting from suction to delivery per radian of its shaft; driven by oil, a motor.

        Ports: `suction`, `delivery`, `shaft`.

        shaft = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        suction = None: what its port of this name is joined to: a port, a coordinate, or a component with one port;
            None: done later
        delivery = None: what its port of this name is joined to: a port, a coordinate, or a component with one port;
            None: done later
        displacement [m³/rad, > 0]: volume per radian
        setting = 1.0: a signal: 1 for a fixed displacement, −1 … 1 for a variable one
        leakage [m³/s per Pa, ≥ 0] = 0.0: back inside
        friction [N·m·s/rad, ≥ 0] = 0.0: of the shaft
        """
        ...

    def hydraulic_line(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
        *,
        resistance: Number = 0.0,
        turbulence: Number = 0.0,
        inertance: Number = 0.0,
        capacity: Number = 0.0,
        segments: int = 1,
        pressure: Number | None = None,
        flow: Number | None = None,
    ) -> HydraulicLine:
        """A pipe from a to b, in equal lumps: inertance·q̇ = Δp − resistance·q − turbulence·q|q|, capacity·ṗ = Σq.

        Half a lump's capacity sits at each end.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        resistance [Pa·s/m³, ≥ 0] = 0.0: of the whole line, laminar
        turbulence [Pa·s²/m⁶, ≥ 0] = 0.0: of the whole line, turbulent
        inertance [kg/m⁴, ≥ 0] = 0.0: ρl/A of the whole line
        capacity [m³/Pa, ≥ 0] = 0.0: V/K of the whole line
        segments = 1: how many lumps of oil
        pressure [Pa, ≥ -101325] = None: at the start, 0 unless given
        flow [m³/s] = None: at the start, where there is inertance; 0 unless given
        """
        ...

    def accumulator(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        *,
        volume: Number,
        precharge: Number,
        exponent: Number = 1.4,
        pressure: Number | None = None,
    ) -> Accumulator:
        """Oil behind a gas cushion: p·V_gasⁿ = precharge·volumeⁿ; below its precharge it is empty and hardly gives way.

        Port: `a`.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        volume [m³, > 0]: of the gas when empty of oil
        precharge [Pa, > 0]: its pressure then, absolute like all pressures next to it
        exponent [> 0] = 1.4: n: 1 if slow, 1.4 if fast
        pressure [Pa, > 0] = None: at the start, `precharge` unless given
        """
        ...

    def check_valve(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
        *,
        area: Number,
        opening: Number = 0.0,
        discharge: Number = 0.611,
        density: Number = 860.0,
        laminar: Number = 100.0,
    ) -> CheckValve:
        """Lets oil flow from a to b only, once the drop exceeds `opening`.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        area [m², > 0]: of the opening
        opening [Pa, ≥ 0] = 0.0: drop beyond which it opens
        discharge [> 0] = 0.611: coefficient C_d
        density [kg/m³, > 0] = 860.0: ρ, of the oil
        laminar [Pa, > 0] = 100.0: below about this drop the flow becomes linear: the root has an infinite slope at
            zero, which no real edge has
        """
        ...

    def relief_valve(
        self,
        name: str,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
        *,
        opening: Number,
        gain: Number,
    ) -> ReliefValve:
        """Opens from a to b where the drop exceeds `opening`; then the flow grows by `gain`.

        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        opening [Pa, > 0]: drop beyond which it opens
        gain [m³/s per Pa, > 0]: flow per drop beyond that
        """
        ...

    def directional_valve(
        self,
        name: str,
        p: Port | PortComponent | Coordinate | None = None,
        t: Port | PortComponent | Coordinate | None = None,
        a: Port | PortComponent | Coordinate | None = None,
        b: Port | PortComponent | Coordinate | None = None,
        *,
        spool: Number | Callable[[SX], Number] | Port | PortComponent | None = None,
        area: Number,
        overlap: Number = 0.0,
        discharge: Number = 0.611,
        density: Number = 860.0,
        laminar: Number = 100.0,
    ) -> DirectionalValve:
        """A 4/3 valve with ports p (pump), t (tank), a, b.

        Where `spool` is above 0 it opens p → a and b → t, below 0 p → b and a → t, each up to `area`; within ±overlap
            it is
        shut, with no leakage whatsoever.

        p = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        t = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        a = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        b = None: what its port of this name is joined to: a port, a coordinate, or a component with one port; None:
            done later
        spool = None: position of the spool, a signal from −1 to 1
        area [m², > 0]: of each way, fully open
        overlap [0 … < 1] = 0.0: share of the spool's way within which all is shut
        discharge [> 0] = 0.611: coefficient C_d
        density [kg/m³, > 0] = 860.0: ρ, of the oil
        laminar [Pa, > 0] = 100.0: below about this drop the flow becomes linear: the root has an infinite slope at
            zero, which no real edge has
        """
        ...

    def fixed(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> Fixed:
        """No motion at all: welds the two frames together.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: none; in the plane: none.
        """
        ...

    def revolute(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> Revolute:
        """Rotates about the common z axis (in the plane: a pin).

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: angle [rad]; in the plane: angle [rad].
        """
        ...

    def prismatic(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> Prismatic:
        """Slides along the common x axis.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: slide [m]; in the plane: slide [m].
        """
        ...

    def cylindrical(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> Cylindrical:
        """Slides along and rotates about the common z axis (space only).

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: slide [m], angle [rad]; space only.
        """
        ...

    def screw(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        pitch: Number,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> Screw:
        """Rotates about z and advances `pitch` metres per turn along it (space only).

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        pitch [m, ≠ 0]: advance along the axis per turn; negative: left-handed
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: angle [rad]; space only.
        """
        ...

    def universal(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        axis2: Vector | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> Universal:
        """Hooke's joint: turns about x of the first frame, then about y of the second (space only).

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        axis2 = None: its axis on the second body, perpendicular to `axis` at the start
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: its axis on the first body

        Free coordinates: angle1 [rad], angle2 [rad]; space only.
        """
        ...

    def planar(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> Planar:
        """N slides in the x–y plane of M and turns about z.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: x [m], y [m], angle [rad]; in the plane: x [m], y [m], angle [rad].
        """
        ...

    def spherical(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> Spherical:
        """Ball joint: the origins coincide. In space rx, ry, rz are the rotation vector, which wraps at half a turn.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: rx [rad], ry [rad], rz [rad]; in the plane: rz [rad].
        """
        ...

    def point_on_line(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> PointOnLine:
        """The origin of N stays on the x axis of M: a pin in a slot. Free: slide, and rz (rx, ry, rz in space).

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: slide [m], rx [rad], ry [rad], rz [rad]; in the plane: slide [m], rz [rad].
        """
        ...

    def point_on_plane(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> PointOnPlane:
        """The origin of N stays in the x–y plane of M (space only).

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: x [m], y [m], rx [rad], ry [rad], rz [rad]; space only.
        """
        ...

    def distance(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        length: Number | Callable[[SX], Number],
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> Distance:
        """The origins keep a distance `length` [m]: a massless rod with ball ends.

        Free: azimuth and elevation of the rod seen from M, and the rotation of N. Along the z axis of M the azimuth has
            no
        meaning: there it reads 0, and nearer to it than a thousandth of the length full turns are not counted.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        length [m, > 0]: of the rod; it may change: an expression, or a function of t
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: azimuth [rad], elevation [rad], rx [rad], ry [rad], rz [rad]; in the plane: azimuth [rad], rz
            [rad].
        """
        ...

    def parallel_axes(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> ParallelAxes:
        """The z axes stay parallel, positions are free (space only).

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: x [m], y [m], z [m], angle [rad]; space only.
        """
        ...

    def perpendicular_axes(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> PerpendicularAxes:
        """x of M stays perpendicular to y of N, positions are free (space only).

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: x [m], y [m], z [m], angle1 [rad], angle2 [rad]; space only.
        """
        ...

    def rotational(
        self,
        name: str,
        first: Marker | Solid | None,
        second: Marker | Solid | None,
        *,
        point: Vector | None = None,
        axis: Vector | None = None,
    ) -> Rotational:
        """BND's rotational joint with four constraints: a pin (z axis) whose second body may also tilt about y of N.

        One blocked rotation fewer than `revolute`, so a planar loop of spatial bodies can be built without redundancy.

        first: frame M (`body.at(…)`), or a body: M is then where N or `point` is; None: by `m.connect(body.port,
            J.port_a)`
        second: frame N, or a body: N is then where M or `point` is at the start poses; None: by `m.connect`, too
        point [m] = None: where the joint is in the world at the start poses, if bodies are joined
        axis = None: direction of its main axis: in the world with bodies, in the frames' own axes with frames

        Free coordinates: angle1 [rad], angle2 [rad]; space only.
        """
        ...

    def point(
        self,
        name: str,
        marker: Marker | Solid,
    ) -> Point:
        """A point of a body whose position and velocity are recorded (world axes).

        marker: the point: a frame, or a body's mass centre
        """
        ...

    def relation(
        self,
        name: str,
        equation: Callable[..., Number],
        *coordinates: Coordinate,
    ) -> Relation:
        """An equation between joint coordinates: `equation(*coordinates)` must vanish.

        equation: gives what must vanish, of the coordinates
        coordinates: what it relates, such as `O.angle`
        """
        ...

    def gear(
        self,
        name: str,
        driver: Coordinate,
        driven: Coordinate,
        *,
        ratio: Number,
        phase: Number = 0,
    ) -> Gear:
        """driven = ratio · driver + phase. External gears have a negative ratio −r₁/r₂.

        driver: coordinate that drives
        driven: coordinate that is driven
        ratio: turns of `driven` per turn of `driver`
        phase [rad or m] = 0: `driven` where `driver` is 0
        """
        ...

    def rack(
        self,
        name: str,
        pinion: Coordinate,
        rack: Coordinate,
        *,
        radius: Number,
        offset: Number = 0,
    ) -> Rack:
        """slide = radius · angle + offset: a pinion on a rack; a negative radius reverses the direction.

        pinion: angle of the pinion
        rack: slide of the rack
        radius [m]: of the pinion's pitch circle; negative to reverse
        offset [m] = 0: slide where the angle is 0
        """
        ...

    def dependence(
        self,
        name: str,
        given: Mapping[Coordinate, Callable[..., Number]],
        *,
        on: Sequence[Coordinate],
    ) -> Dependence:
        """Closed-form solution of a loop (SYM (39)): `{P.slide: lambda angle: …}`, functions of the coordinates `on`.

        Knowledge, not a part: it carries no force. The minimal formulation then has no loop to close and integrates
            only
        what the others depend on. It must agree with the joints, which is checked, in every formulation at the start.

        given: coordinate → its value as a function of those `on`
        on: coordinates that the others depend on
        """
        ...

    def rope(
        self,
        name: str,
        *route: Marker | Solid | Pulley,
        stiffness: Number,
        length: Number | None = None,
        damping: Number = 0.0,
        winch: Coordinate | None = None,
        drum: Number = 1.0,
    ) -> Rope:
        """A rope without mass from one frame to another, over points and pulleys: it pulls, or hangs slack.

        Tension k·(length − unstretched) + damping·rate, never below 0, the same everywhere: pulleys turn freely. With
        `winch` it is wound on a drum, whose angle takes up the rope: unstretched length − drum·angle.

        route: frames in order; those between may be lw.Pulley(frame, radius)
        stiffness [N/m, > 0]: k, of the whole rope
        length [m, > 0] = None: unstretched, from end to end, where the drum is at 0; None: as it lies at the bodies'
            start poses
        damping [N·s/m, ≥ 0] = 0.0: force per rate of its length
        winch = None: angle of a drum that winds it up
        drum [m, ≠ 0] = 1.0: radius of the drum; negative: winds the other way
        """
        ...

    def belt(
        self,
        name: str,
        driver: Any,
        driven: Any,
        *,
        radius1: Number,
        radius2: Number,
        stiffness: Number,
        damping: Number = 0.0,
        pretension: Number = 0.0,
        crossed: bool = False,
    ) -> Belt:
        """A belt on two wheels that turn on one carrier about parallel axes; it does not slip, and each side only pulls.

        Tension of the sides: pretension ± k·(what one wheel has taken up more than the other), never below 0.

        driver: angle of a revolute joint: of the wheel on its second body
        driven: the same of the other wheel
        radius1 [m, > 0]: of the driver's wheel
        radius2 [m, > 0]: of the driven wheel
        stiffness [N/m, > 0]: k, of each side
        damping [N·s/m, ≥ 0] = 0.0: of each side
        pretension [N, ≥ 0] = 0.0: of both sides where both angles are 0
        crossed = False: whether the wheels turn in opposite directions
        """
        ...

    def box(
        self,
        name: str,
        size: Sequence[float],
        *,
        density: Number | None = None,
        mass: Number | None = None,
        axis: str = 'x',
    ) -> Box:
        """A uniform box.

        size [m]: along x, along y, along z
        density [kg/m³, ≥ 0] = None: mass per volume; give it or `mass`
        mass [kg, ≥ 0] = None: mass of the whole; give it or `density`
        axis = 'x': body axis it lies along
        """
        ...

    def cylinder(
        self,
        name: str,
        *,
        radius: float,
        length: float,
        density: Number | None = None,
        mass: Number | None = None,
        axis: str = 'x',
    ) -> Cylinder:
        """A uniform cylinder along `axis`.

        radius [m]: its radius
        length [m]: its length
        density [kg/m³, ≥ 0] = None: mass per volume; give it or `mass`
        mass [kg, ≥ 0] = None: mass of the whole; give it or `density`
        axis = 'x': body axis it lies along
        """
        ...

    def rod(
        self,
        name: str,
        *,
        length: float,
        radius: float | None = None,
        density: Number | None = None,
        mass: Number | None = None,
        axis: str = 'x',
    ) -> Rod:
        """A uniform slender cylinder along `axis`.

        length [m]: its length
        radius [m] = None: its radius, 1/50 of the length unless given
        density [kg/m³, ≥ 0] = None: mass per volume; give it or `mass`
        mass [kg, ≥ 0] = None: mass of the whole; give it or `density`
        axis = 'x': body axis it lies along
        """
        ...

    def sphere(
        self,
        name: str,
        *,
        radius: float,
        density: Number | None = None,
        mass: Number | None = None,
        axis: str = 'x',
    ) -> Sphere:
        """A uniform ball.

        radius [m]: its radius
        density [kg/m³, ≥ 0] = None: mass per volume; give it or `mass`
        mass [kg, ≥ 0] = None: mass of the whole; give it or `density`
        axis = 'x': body axis it lies along
        """
        ...

    def state(
        self,
        name: str,
        start: Number = 0.0,
        *,
        rate: Number | None = None,
        unit: str = '',
    ) -> State:
        """A first-order state: `p = m.state("p", 1e5, unit="Pa")`, then `p.rate = …` with any symbols of the model.

        `p.symbol` is for expressions; the rate may depend on states, variables, parameters, inputs and time `m.t`, or
            be a
        function of frames: `p.follow(lambda a: …, body.at(…))`.

        start = 0.0: its value at the start
        rate = None: its derivative, or said later by `.rate = …` or `.follow(…)`
        unit = '': of its value
        """
        ...

    def unknown(
        self,
        name: str,
        start: Number = 0.0,
        *,
        start_rate: Number = 0.0,
        order: int = 2,
        unit: str = '',
    ) -> Unknown:
        """A quantity that equations of the user's own determine.

        It has symbols `.value` and `.rate`, and `.second` if its order is 2. As many `m.equation(…)` are needed as
            there
        are unknowns.

        start = 0.0: its value at the start
        start_rate = 0.0: its rate at the start, if its order is 2
        order = 2: of the highest derivative in the equations
        unit = '': of its value
        """
        ...

    def equation(
        self,
        name: str,
        *residuals: Number,
    ) -> Equation:
        """Residuals that must vanish: expressions of unknowns, their rates, and any symbols of the model (SYM (9)).

        All equations of a model are solved together for the highest rates of all unknowns: exactly where they are
            linear
        in them, by Newton's method from zero where they are not.

        residuals: what must vanish
        """
        ...

    def variable(
        self,
        name: str,
        *,
        guess: Number = 0.0,
        unit: str = 'rad',
    ) -> Variable:
        """A generalised coordinate: a number that positions may depend on, by its `symbol`.

        `rate` is the symbol of its speed; `start(value)` is met exactly. Laws act on it as on a joint's coordinate. It
            has
        no mass of its own: what it moves has.

        guess = 0.0: where assembly begins to look
        unit = 'rad': of the number
        """
        ...

    def guide(
        self,
        name: str,
        body: Body,
        pose: Pose | SX | ndarray | Sequence[Sequence[Number]],
    ) -> Guide:
        """Places a body by a position matrix (SYM (1)): `pose` is a Pose (`rotz(q) @ shift(x, y)`) or a 4×4 matrix.

        It may depend on variables, parameters and time `m.t`; speeds, accelerations and the mass matrix follow.

        body: what is placed
        pose: of its mass centre and axes, of variables and m.t
        """
        ...

    def condition(
        self,
        name: str,
        *equations: Number,
    ) -> Condition:
        """Equations between variables (and parameters, and time) that must hold: each expression must vanish.

        So intermediate variables can be given implicitly: `m.condition("loop", l1*sin(q) - l2*sin(alpha))`.

        equations: what must vanish, of variables and m.t
        """
        ...

class Face(Parts):
    def bondgraph(
        self,
        *,
        bonds: str = 'vector',
        joints: str = 'lagrange',
        compliance: Compliance | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
    ) -> BondGraph:
        """The model's bond graph: rigid bodies (BND figure 2), joints (figure 4), laws as R, C, Se and MSe.

        bonds: "vector", or "scalar" (every component a bond of its own);
        joints: "lagrange" (blocked flows by efforts), "rc" (by springs and dampers), "ideal" (by flow sources:
            dependent
        inertias get derivative causality, class-4 paths are opened), "minimal" (joint rates as flow sources),
            "canonical"
        (ACA's structure: one twist per body, one 0-junction per joint).
        `graph.causality()` assigns causal strokes, `graph.draw()` and `graph.save("graph.svg")` show it.

        compliance = None: how soft joints are where springs enforce them, lw.Compliance(error=1e-6)
        parameters = None: name → value of a parameter, instead of its default
        inputs = None: name → value of an input, instead of its default
        """
        ...

    def check(
        self,
        *,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
    ) -> Report:
        """Look at the model at its start position, before running it. parameters, inputs: as for `simulate`."""
        ...

    def compare(
        self,
        formulations: Sequence[str] | None,
        duration: float,
        *,
        solvers: Sequence[str | Solver] | None = None,
        reference: str | None = None,
        channels: str | Sequence[str] | None = None,
        rtol: float = 1e-08,
        atol: float = 1e-10,
        output: float | ndarray | None = None,
        step: float | None = None,
        compliance: Compliance | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
        progress: Callable[[float], None] | None = None,
        file: str | Path | None = None,
    ) -> Comparison:
        """Run the model for `duration` seconds in several ways and say what each cost and how far apart they are.

        formulations: names, or None for all there are; solvers: names or solver objects, each with every formulation
        (default: the one that suits the formulation); reference: the formulation or run that the others are measured
        against (default: "minimal", else the first); channels: names or patterns to be shown one by one;
        output, step, rtol, atol, compliance, parameters, inputs, progress: as in `simulate`;
        file: also write the comparison (.json, .csv) or its figure (.svg, .png, .pdf).
        A run that fails is listed with its error, and the others still run; if all fail alike, that error is raised.
        """
        ...

    def equilibrium(
        self,
        *,
        at: Placed | tuple[Result, float] | None = None,
        formulation: str = 'absolute',
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float] | None = None,
        time: float | None = None,
    ) -> Equilibrium:
        """Find where the mechanism rests: v = 0, v̇ = 0, ż = 0, with constraints, loops and first-order states.

        at: where to look first (default: the assembled start): an Assembly, an Equilibrium or (result, time).
        The search follows the forces as if through honey, so that it ends at a stable equilibrium; only from a start
            that
        is an unstable one itself it ends there. Forces and motions that depend on time are taken at `time` [s]
            (default:
        that of `at`, or 0); parameters and inputs keep one value. Dry friction is smoothed: at rest it holds nothing.

        formulation = 'absolute': in which way the equations are derived, see `simulate`
        """
        ...

    def evaluate(
        self,
        state: Sequence[float] | ndarray | None = None,
        *,
        t: float = 0.0,
        formulation: str = 'absolute',
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
    ) -> Result:
        """Accelerations, reactions and all other channels at a state y = [q, v, z]; default: the assembled start.

        parameters, inputs: as for `simulate`.

        t = 0.0: time [s]
        formulation = 'absolute': in which way the equations are derived, see `simulate`
        """
        ...

    def floquet(
        self,
        period: float | None = None,
        *,
        at: Placed | tuple[Result, float] | None = None,
        coordinates: list[str] | None = None,
        formulation: str = 'absolute',
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float] | None = None,
        time: float | None = None,
        refine: bool = True,
        rtol: float = 1e-10,
    ) -> Floquet:
        """Whether a periodic motion is stable: what one period makes of small deviations (monodromy matrix, multipliers).

        period [s]: that of what drives the model; of a model that nothing drives, about its own (None: found by
            itself).
        at: on the motion or near it, as for `linearize` (default: the start); refine: correct start (and period, where
        nothing drives it) until the motion closes. Parameters and inputs keep one value.

        coordinates = None: names of coordinates that are kept as states; None: chosen
        formulation = 'absolute': in which way the equations are derived, see `simulate`
        parameters = None: name → value of a parameter, instead of its default
        time = None: at which it is looked at [s]
        rtol = 1e-10: relative error that a step may make
        """
        ...

    def inverse_dynamics(
        self,
        motion: Result | Mapping[Any, Number | Callable[[SX], Number] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
        duration: float | None = None,
        *,
        actuators: Sequence[Coordinate | str] | None = None,
        output: float | ndarray | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
    ) -> Result:
        """Forces and torques that make the mechanism move as given.

        motion: drives as for `kinematics`, {coordinate: function of t | (times, values) | number}, or a Result, whose
        motion is taken as it is (then `duration` and `output` are its own);
        actuators: coordinates (or names; any position) that carry the unknown efforts. Default: the driven ones; for a
        Result as many joint coordinates as there are freedoms, in the order of the model.
        Laws, forces and gravity stay at work; motion laws of the model are drives that report their own effort.

        Beside all channels of `simulate` there are `<coordinate>.actuator`, the unknown effort [N or N·m], and
        `<coordinate>.effort`, the same with the laws on that coordinate added.

        parameters = None: name → value of a parameter, instead of its default
        inputs = None: name → value of an input, instead of its default
        """
        ...

    def kinematics(
        self,
        duration: float | None = None,
        *,
        drive: Mapping[Any, Number | Callable[[SX], Number] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
        output: float | ndarray | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
    ) -> Result:
        """Move the mechanism by its drives alone, for `duration` seconds.

        drive: {coordinate or its name: what it follows}: a function of t (called once, with a symbol), a table
        (times, values) joined by a cubic spline, or a number. Any position can be driven: "O.angle", "tip.x", a
        generalised coordinate. Motion laws of the model are drives as well. Together they must move every freedom once.
        duration: may be left out where `output` or tables say when to end;
        output: time between samples [s] (default: 501 samples), or the times themselves;
        parameters, inputs: as for `simulate`; positions may depend only on inputs that are constant.
        Channels that depend on constraint forces are left out; `inverse_dynamics` gives them.
        """
        ...

    def linearize(
        self,
        at: Placed | tuple[Result, float] | None = None,
        *,
        inputs: Mapping[str, float] | Sequence[str] | None = None,
        outputs: Sequence[str] | str | None = None,
        coordinates: Sequence[str] | None = None,
        formulation: str = 'absolute',
        parameters: Mapping[str, float] | None = None,
        time: float | None = None,
    ) -> Linearization:
        """The linear state equation near an operating point, in independent coordinates x = [s, ṡ, z].

        at: None (the assembled start), `m.equilibrium()`, `m.assemble()`, or (result, time [s]);
        inputs: {name: value at the operating point}, or names of the columns of B (default: all inputs of the model);
        outputs: channels or patterns, the rows of C and D (default: joint coordinates and their rates);
        coordinates: names of the independent coordinates (default: chosen by pivoting, joint coordinates first);
        time [s]: at which forces and motions that depend on it are taken (default: that of `at`, or 0).
        Steady motions are described in axes in which they are steady; elsewhere it is the vector field that is
            linearised,
        whose eigenvalues tell nothing of stability, and `.note` says so.

        formulation = 'absolute': in which way the equations are derived, see `simulate`
        parameters = None: name → value of a parameter, instead of its default
        """
        ...

    def particles(
        self,
        *,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
    ) -> ParticleSystem:
        """The particles that stand for the bodies in formulation "points": positions, masses, and who shares them.

        Four primary ones per body and six halfway between them have its mass, mass centre and inertia (PRT (1)); three
            and
        three in the plane. `body.particles(…)` places them; `r.snapshot(t, particles=m.particles())` draws them.
        parameters, inputs: as for `simulate`.
        """
        ...

    def root_locus(
        self,
        parameter: str,
        values: Sequence[float] | ndarray,
        *,
        at: Placed | tuple[Result, float] | None = None,
        equilibrium: bool = True,
        formulation: str = 'absolute',
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float] | None = None,
        time: float | None = None,
    ) -> RootLocus:
        """Eigenvalues of the linearised model for each value of a parameter, in the order given; nothing is recompiled.

        at: where to begin, as for `linearize`. equilibrium=True follows the equilibrium from value to value (stable or
        not); False keeps to the assembled start (or `at`), speeds included.

        values: of the parameter, in order
        formulation = 'absolute': in which way the equations are derived, see `simulate`
        parameters = None: name → value of a parameter, instead of its default
        inputs = None: name → value of an input, instead of its default
        time = None: at which it is looked at [s]
        """
        ...

    @overload
    def sensitivity(
        self,
        of: str | Sequence[str],
        to: str | Sequence[str] | None,
        duration: float,
        *,
        method: str = 'auto',
        formulation: str = 'auto',
        solver: str = 'auto',
        rtol: float = 1e-08,
        atol: float = 1e-10,
        output: float | ndarray | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
        kernels: bool | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Sensitivity:
        """How a run changes with parameters: exact derivatives, not differences of runs.

        of: names of channels → a `Sensitivity`, derivatives over time; or `lw.Final(…)`, `lw.Integral(…)`, sums of them
            → a
        `Gradient` (a list of them for a list). to: names of parameters; None: all.
        method: "forward" (derivatives run along with the states; the cost grows with the number of parameters),
            "adjoint"
        (backwards through the steps of the run; scalars only, the cost hardly depends on the number of parameters),
            "auto".
        The start counts: it is assembled anew for other parameters, and its derivative is part of the result.
        formulation, rtol, atol, output, parameters (values), inputs, kernels: as in `simulate`; solver: "auto",
            "dopri5",
        "dop853", "radau" or "cvodes". Kinks and jumps of the equations are located, and jumps taken into account.

        duration: [s] of the run
        progress = None: called with the share that is done, instead of a bar; True: told where there is no terminal,
            too
        """
        ...

    @overload
    def sensitivity(
        self,
        of: Scalar,
        to: str | Sequence[str] | None,
        duration: float,
        *,
        method: str = 'auto',
        formulation: str = 'auto',
        solver: str = 'auto',
        rtol: float = 1e-08,
        atol: float = 1e-10,
        output: float | ndarray | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
        kernels: bool | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Gradient:
        """How a run changes with parameters: exact derivatives, not differences of runs.

        of: names of channels → a `Sensitivity`, derivatives over time; or `lw.Final(…)`, `lw.Integral(…)`, sums of them
            → a
        `Gradient` (a list of them for a list). to: names of parameters; None: all.
        method: "forward" (derivatives run along with the states; the cost grows with the number of parameters),
            "adjoint"
        (backwards through the steps of the run; scalars only, the cost hardly depends on the number of parameters),
            "auto".
        The start counts: it is assembled anew for other parameters, and its derivative is part of the result.
        formulation, rtol, atol, output, parameters (values), inputs, kernels: as in `simulate`; solver: "auto",
            "dopri5",
        "dop853", "radau" or "cvodes". Kinks and jumps of the equations are located, and jumps taken into account.

        duration: [s] of the run
        progress = None: called with the share that is done, instead of a bar; True: told where there is no terminal,
            too
        """
        ...

    @overload
    def sensitivity(
        self,
        of: Sequence[Scalar],
        to: str | Sequence[str] | None,
        duration: float,
        *,
        method: str = 'auto',
        formulation: str = 'auto',
        solver: str = 'auto',
        rtol: float = 1e-08,
        atol: float = 1e-10,
        output: float | ndarray | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
        kernels: bool | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> list[Gradient]:
        """How a run changes with parameters: exact derivatives, not differences of runs.

        of: names of channels → a `Sensitivity`, derivatives over time; or `lw.Final(…)`, `lw.Integral(…)`, sums of them
            → a
        `Gradient` (a list of them for a list). to: names of parameters; None: all.
        method: "forward" (derivatives run along with the states; the cost grows with the number of parameters),
            "adjoint"
        (backwards through the steps of the run; scalars only, the cost hardly depends on the number of parameters),
            "auto".
        The start counts: it is assembled anew for other parameters, and its derivative is part of the result.
        formulation, rtol, atol, output, parameters (values), inputs, kernels: as in `simulate`; solver: "auto",
            "dopri5",
        "dop853", "radau" or "cvodes". Kinks and jumps of the equations are located, and jumps taken into account.

        duration: [s] of the run
        progress = None: called with the share that is done, instead of a bar; True: told where there is no terminal,
            too
        """
        ...

    def structure(
        self,
        *,
        parameters: Mapping[str, float] | None = None,
    ) -> Structure:
        """Flatten, match, sort and tear the model as `formulation="acausal"` does, and tell what came out.

        parameters: values other than the defaults, where what is zero decides which equations there are.
        """
        ...

    def assemble(
        self,
        *,
        parameters: dict[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
        strict: bool = True,
        close: bool = True,
    ) -> Assembly:
        """Find the start closest to what `start(…)` said. Joint values and all rates are met exactly.

        inputs: name → number or signal, for what constraints depend on;
        strict=False: what cannot be met is left as it comes closest (compliant joints can start so), nothing is raised;
        close=False: no body is moved from where it was put, and speeds are those that were given, else 0: joints are
            open,
        as far as they are; what was not put anywhere is where joints carry it.

        parameters = None: name → value of a parameter, instead of its default
        """
        ...

    def plane(
        self,
        name: str,
        *,
        at: Marker | None = None,
    ) -> Plane:
        """A plane in space: what is added to it (`p.body`, `p.revolute`, …) has two coordinates, and moves in it.

        name: as of a submodel; at: a frame whose x and y axes span it, the world's unless given.
        A body's inertia is one number, about the normal.
        """
        ...

    def connect(
        self,
        *ends: Port | PortComponent | Coordinate | JointPort | FramePort | Marker | Solid,
    ) -> Connection | Attachment:
        """Join ports, all of one kind: electric with electric, a flange with `O.angle`, an output with inputs.

        A component with a single port stands for it; coordinates of joints are flanges. Mechanical ports (`A.port_a` of
            a
        joint, `self.frame("a")` of a component of your own) go to one frame of a body: `rod.at(0.5, 0)` or `rod.port`.

        ends: two or more of them
        """
        ...

    def equations(
        self,
        formulation: str = 'minimal',
        *,
        stabilisation: Projection | Baumgarte | str = 'projection',
        compliance: Compliance | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
    ) -> EquationSheet:
        """The equations of motion of the model in a formulation, as symbols, text or source code.

        formulation: "absolute", "minimal", …, "auto"; stabilisation, compliance: as in `simulate`;
        parameters, inputs: values other than the defaults, for the start state and the tables of generated code (of
            what
        changes with time, the value at t = 0).
        """
        ...

    def fmu(
        self,
        file: str | PathLike[str],
        *,
        version: str = '3.0',
        formulation: str = 'auto',
        duration: float = 10.0,
        rtol: float = 1e-08,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
        binary: bool = True,
    ) -> Path:
        """Write the model as a Functional Mock-up Unit: model exchange and co-simulation in one file; returns its path.

        version: of FMI, "3.0" or "2.0"; formulation: as in `simulate`; duration [s]: for which what changes with time
        (tables, breakpoints) is to be known, and the default experiment; rtol: of the integrator inside, for
        co-simulation, unless the importer says otherwise; parameters, inputs: values other than the defaults (of what
        changes with time, the value at t = 0); binary: compile it for this machine; else the file holds sources alone.
        """
        ...

    def save(
        self,
        file: str | PathLike[str],
    ) -> None:
        """Write the model to a file, whole or not at all: everything it holds, functions as expressions.

        file: its name, ending in .toml: `lw.load` gives the model back, and with it the same results to the last bit.
        .urdf takes trees, .xml (MJCF) loops as well, of what these formats know; what they cannot hold is an error.
        """
        ...

    def simulate(
        self,
        duration: float,
        *,
        formulation: str | None = None,
        solver: str | Solver = 'auto',
        rtol: float = 1e-08,
        atol: float = 1e-10,
        output: float | ndarray | None = None,
        step: float | None = None,
        max_step: float | None = None,
        stabilisation: Projection | Baumgarte | str = 'projection',
        compliance: Compliance | None = None,
        loops: str = 'multipliers',
        independent: Sequence[str] | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
        start: Placed | Result | tuple[Result, float] | None = None,
        assemble: bool = True,
        progress: Callable[[float], None] | None = None,
        watch: Callable[[Result], None] | None = None,
        verify: bool = False,
        compile: str = 'auto',
        kernels: bool | None = None,
    ) -> Result:
        """Run the model for `duration` seconds and return its channels over time.

        formulation: "absolute" (default; "minimal" where positions are given), … (see `linkwork.formulations`) or
            "auto":
        the fastest by the mechanism's shape;
        solver: "auto" (radau where the equations are stiff, else dopri5), a name ("rk4", "dopri5", "dop853", "radau",
        "generalized_alpha", "newmark", "hht", "cvodes", "idas") or a solver object with its options;
        output: time between samples [s] (default: 501 samples), or the times themselves;
        step: of fixed-step solvers, first step of the others; stabilisation: "projection" or `lw.Baumgarte(α, β)`;
        compliance: how soft the joints of the compliant formulation are (`lw.Compliance(error=1e-6)`);
        loops: "multipliers", or "partition": speeds are split into independent (`independent`, else chosen by pivoting
            and
        changed where they become ill-conditioned) and dependent ones;
        parameters: values other than the defaults; inputs: name → number, (times, values) or function of t;
        start: where it begins, what `m.equilibrium()` or `m.assemble()` returns, a Result, at whose end it goes on, or
        (result, time) (default: as components say);
        assemble=False: bodies start where they were put, with the springs of compliant joints stretched;
        progress: called with the share that is done, instead of the bar that a terminal or a notebook shows where it
            takes
        long; True: told where there is no terminal, too;
        watch: called up to ten times a second with what there is so far.
        verify: run again, tighter and in another formulation; `result.verification` has the digits that both agree on.
        compile: "fast": machine code at once; "best": as good as it gets, made before the run; "auto": at once, and
            better
        code in its place while the run goes on, where that pays. The numbers are the same bit by bit.
        kernels: compiled loops over components of a kind instead of straight-line code for all; default: where a model
            has
        many bodies and all its components have kernels (see docs/large.md).
        The run judges itself: what it finds is in `result.warnings` and told as LinkworkWarning; open joints are an
            error.
        Ctrl-C ends the run early and returns what was computed, with record["status"] = "cancelled".

        rtol = 1e-08: relative error that a step may make
        atol = 1e-10: absolute error that a step may make
        max_step = None: longest step [s]
        """
        ...

    def stepper(
        self,
        dt: float,
        *,
        formulation: str | None = None,
        solver: str | Solver = 'auto',
        rtol: float = 1e-08,
        atol: float = 1e-10,
        step: float | None = None,
        max_step: float | None = None,
        stabilisation: Projection | Baumgarte | str = 'projection',
        compliance: Compliance | None = None,
        loops: str = 'multipliers',
        independent: Sequence[str] | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
        start: Placed | Result | tuple[Result, float] | None = None,
        realtime: bool = False,
        compile: str = 'auto',
        kernels: bool | None = None,
    ) -> Stepper:
        """The model at its start, to be taken on in steps of `dt` seconds, with inputs that may change at each.

        formulation, solver, rtol, atol, max_step, stabilisation, compliance, loops, independent, parameters, inputs,
            start,
        compile, kernels: as for `simulate`; the solver takes as many steps of its own within one as it needs;
        step: of fixed-step solvers (default: dt), first step of the others;
        realtime: each step waits until as much time has passed on the wall.
        Rigid contacts, switches and sampled controllers act as in `simulate`, at the price of slower steps.
        """
        ...

    def fit(
        self,
        data: object,
        *,
        parameters: str | Sequence[str] | Mapping[str, tuple[float | None, float | None]] | None = None,
        start: Mapping[str, float] | None = None,
        starts: int = 1,
        seed: int = 0,
        fixed: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
        formulation: str = 'auto',
        solver: str = 'auto',
        rtol: float = 1e-08,
        atol: float = 1e-10,
        backend: str | object = 'auto',
        workers: int | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Fit:
        """Find the parameters with which channels of the model are nearest to what was measured (least squares).

        data: {channel: (times [s], values) or (times, values, deviation)}, a DataFrame or a CSV file with times in its
        first column; values that are missing may be NaN. Without deviations, channels count alike, by how much each
            varies.
        parameters: names, or {name: (lower, upper)} with None where there is no bound (default: all); start values
            count as
        parameters: "O.angle", "O.angle.rate". start: where to begin (default: the model's values); fixed: values of
            others.
        starts: searches from so many points, the others spread between the bounds (or within a factor 3) by `seed`; the
        best is taken; backend, workers: who runs them, as in `sweep`. Ctrl-C ends them; the best so far is returned.
        formulation, solver, rtol, atol, inputs: as in `sensitivity`, whose derivatives it uses.

        progress = None: called with the share that is done, instead of a bar; True: told where there is no terminal,
            too
        """
        ...

    def optimise(
        self,
        objective: Scalar,
        over: Mapping[str, tuple[float | None, float | None]] | Sequence[str],
        duration: float,
        *,
        minimise: bool = True,
        constraints: Sequence[tuple[Scalar, float | None, float | None]] = (),
        start: Mapping[str, float] | None = None,
        method: str = 'auto',
        gradient: str = 'auto',
        formulation: str = 'auto',
        solver: str = 'auto',
        rtol: float = 1e-08,
        atol: float = 1e-10,
        tolerance: float = 1e-08,
        max_iterations: int = 200,
        starts: int = 1,
        seed: int = 0,
        backend: str | object = 'auto',
        workers: int | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> Optimum:
        """Find the parameters that make `objective` smallest, or largest with minimise=False.

        objective: `lw.Final(…)`, `lw.Integral(…)` or a weighted sum of them; over: name → (lower, upper), None where
            there
        is no bound; constraints: (scalar, lower, upper); start: where to begin (default: the model's values).
        method: "SLSQP", "L-BFGS-B", "trust-constr" (SciPy), "ipopt" (CasADi), "auto": SLSQP. gradient: "forward",
        "adjoint", "auto" (see `sensitivity`). tolerance: of the gradient, scaled by parameters and objective.
        parameters: values of the others; formulation, solver, rtol, atol, inputs: as in `sensitivity`.
        progress: called with the number of runs and the best objective so far.
        A local minimum is found, the one downhill from the start. starts: search from so many points, the first and
            others
        that are spread evenly between the bounds by `seed`, and take the best; `optimum.attempts` tells of all.
            backend,
        workers: who makes these searches, as in `sweep`.
        Points that cannot be assembled or simulated are avoided; Ctrl-C ends the search. In both cases the best point
            found
        is returned.

        duration: [s] of the run
        max_iterations = 200: after which the search ends
        """
        ...

    def sweep(
        self,
        design: object,
        duration: float | None = None,
        *,
        channels: str | Sequence[str] | None = None,
        keep: str | Sequence[str] = 'series',
        reduce: Mapping[str, Callable[[Result], float] | Scalar] | None = None,
        sensitivities: str | Sequence[str] | None = None,
        gradient: str = 'auto',
        cases: int | None = None,
        sampling: str = 'random',
        seed: int = 0,
        of: str = 'simulate',
        backend: str | object = 'auto',
        workers: int | None = None,
        to: str | PathLike[str] | None = None,
        formulation: str | None = None,
        solver: str | Solver = 'auto',
        rtol: float = 1e-08,
        atol: float = 1e-10,
        output: float | ndarray | None = None,
        step: float | None = None,
        max_step: float | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
        judge: bool = True,
        progress: Callable[[float], None] | None = None,
    ) -> Dataset:
        """Run many cases of a model from one compilation; an xarray Dataset with a row per case.

        design: {name: list of values, or a distribution such as `lw.normal(1e4, 500)`}; lists span a grid, at each
            point of
        which distributions are drawn by the same numbers; {("a", "b"): [(1, 2), (3, 4)]} varies two together. Or a list
            of
        {name: value}, a DataFrame, or a CSV file. Names are those of parameters, inputs, and coordinates ("O.angle",
        "O.angle.rate"), which means their start values. cases: how many in all, where something is random.
        sampling: "random", or evenly: "sobol", "halton", "latin"; "saltelli": for `ds.sweep.sobol(…)`;
        seed: the same seed, the same numbers.
        channels: names or patterns (default: coordinates of joints); keep: "series" (over time), "end", "min", "max",
        "mean", "rms", "integral", one or several, over the samples; reduce: {name: function of the Result → number}.
        sensitivities: names of parameters and start values; all that is kept then comes with its exact derivatives:
        `ds["piston.x.end by L"]`; reduce takes {name: `lw.Final(…)`, `lw.Integral(…)`}, gradient: theirs, as in
            `optimise`.
        of: "simulate"; or maps of stability, without duration: "equilibrium" (where each case rests: channels there,
        eigenvalues, growth of the fastest mode, whether it is stable), "linearize" (the same at its start).
        backend: "serial", "threads", "processes", "dask", address of a Dask scheduler, "lanes" (many cases in vector
        registers), "cuda" (on a graphics card), or "auto": by what the first cases cost; workers: how many (default:
            one
        per processor).
        to: a folder "study.zarr" that outcomes are written to while they come. The same call takes it up again after
        Ctrl-C, a crash or a power cut; finished cases are not run again. Without it, the result is in the memory.
        judge=False: runs that end well are not looked at by the watch: no warnings, in half the time.
        progress: called with the share that is done, instead of a bar; True: share, rate and time left as text.
        formulation, solver, rtol, atol, output, step, max_step, parameters, inputs: as in `simulate`.
        A case that fails stops no other: `status` ("finished", "event", "failed", "pending"), `reason`, `end_time` [s]
            and
        `warnings` say what became of each, `engine` what integrated it. Ctrl-C keeps what there is.
        """
        ...

class Extended:
    @classmethod
    def register(
        self,
        name: str,
        function: Callable[..., object],
    ) -> None:
        """Attach `function(self, …)` (or a staticmethod) as the method `name`, seen by `dir` and `help`."""
        ...

class BondGraphFace(Extended):
    def inverse(
        self,
        source: str,
        output: str,
        *,
        method: str | None = None,
    ) -> GraphInverse:
        """The inverse model: what a source must do so that an output is as wanted.

        source: an effort or flow source; output: a channel, such as "load.flow", "spring.effort" or a signal. The
            output is
        differentiated along the state equations until the source shows, as often as its relative order, and solved for
            the
        source: exactly, nonlinear or not. Bicausal bonds show the way (`line`). method: how causality is assigned.
        """
        ...

    def linearize(
        self,
        at: tuple[Result, float] | None = None,
        *,
        inputs: Sequence[str] | str | None = None,
        outputs: Sequence[str] | str | None = None,
        parameters: Mapping[str, float] | None = None,
        method: str | None = None,
    ) -> Linearization:
        """The linear state equation d(δx)/dt = A δx + B δu, δy = C δx + D δu of the graph.

        at: (result of g.simulate, time [s]), else the start; inputs: names of inputs and of sources, the columns of B
        (default: all inputs, or if there are none all sources); outputs: channels or patterns, the rows of C and D
        (default: flows of inertias, efforts of compliances); method: how causality is assigned, else as `g.method`
            says.
        States that are tied together by enforced flows are left out, as many as follow from the others.
        """
        ...

    def reduced(
        self,
        result: Result,
        share: float = 0.99,
        *,
        outputs: Sequence[str] | str | None = None,
        keep: Sequence[str] | str = (),
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
    ) -> GraphReduction:
        """The graph without the elements of least activity, and how far its run is from that of the whole graph.

        result: of g.simulate(…), whose motion decides what matters; share: of the activity of all stores and resistors
            that
        those kept have together; outputs: channels to compare (default: what the result shows first, as far as it
            stays);
        keep: elements that stay whatever they do; inputs: those of the run, to repeat it.
        """
        ...

    def causality(
        self,
        method: str | None = None,
        *,
        strict: bool = True,
    ) -> Causality:
        """Causal strokes; print() them for a report. method, strict: see `assigning.causality`."""
        ...

    def remove(
        self,
        what: object,
    ) -> None:
        """Take out a bond, or an element with all its bonds."""
        ...

    def replace(
        self,
        old: object,
        new: object,
    ) -> Element:
        """Put another element in the place of one: on the same bonds, in the same group."""
        ...

    def paths(
        self,
        method: str = 'relaxed',
    ) -> Opening:
        """Zero-order causal paths by class, the break variables that open them, and the index; print() it."""
        ...

    def state_equations(
        self,
        method: str | None = None,
    ) -> StateEquations:
        """ẋ = f(t, x, parameters, inputs); print() them to read."""
        ...

    def controllability(
        self,
        sources: Sequence[str] | str | None = None,
        *,
        method: str | None = None,
    ) -> StructuralProperty:
        """Whether the sources can bring all stores to any state, for almost all values of the parameters.

        sources: names of effort and flow sources (default: all); the others are given. Sueur and Dauphin-Tanguy's two
        conditions: a causal path from a source to every store with a state; and every store takes derivative causality
        when it is preferred and the sources may be dualised. Values that are equal or otherwise related can still spoil
        it: the Kalman rank of `g.linearize()` tells.
        """
        ...

    def observability(
        self,
        outputs: Sequence[str] | str,
        *,
        method: str | None = None,
    ) -> StructuralProperty:
        """Whether the outputs show the states of all stores, for almost all values of the parameters.

        outputs: channels such as "mass.flow", "spring.effort" or a junction's "shaft.flow". The conditions are those of
        `controllability`, with causal paths to the outputs and detectors in the place of sources.
        """
        ...

    def insert(
        self,
        part: Subgraph,
        name: str,
        **values: Number,
    ) -> Inserted:
        """Copy a part into a graph. Names become "name-element"; returns its ports.

        values: for parameters and inputs of the part, a number (a parameter "name-parameter" of the graph starts there)
        or an expression of the graph's own symbols, which takes its place.
        """
        ...

    def transfer_function(
        self,
        source: str,
        output: str,
        *,
        parameters: Mapping[str, float] | None = None,
        method: str | None = None,
    ) -> GraphTransferFunction:
        """Transfer function by Mason's rule, of paths and loops along the causal strokes.

        source: an effort or flow source, or an input; output: a channel such as "rotor.flow", "spring.effort",
        "mass.momentum", a junction's "shaft.flow", or a signal; parameters: name → value other than the default;
        method: how causality is assigned, else as `g.method` says. Derivative causality and algebraic loops are loops
            like
        others. What is not linear has its slope at the start of the graph.
        """
        ...

    def equations(
        self,
        method: str | None = None,
    ) -> EquationSheet:
        """ẋ = f(t, x, parameters, inputs): momenta, displacements and signals, solved for their rates.

        method: how causality is assigned, else as `g.method` says. The sheet has `.text()`, `.latex()`, `.sympy()`,
        `.c()`, `.python()` and `.casadi()`; what is kept at zero (flows and displacements) is in its constraints.
        """
        ...

    @staticmethod
    def load(
        file: str | PathLike[str],
    ) -> BondGraph:
        """Read a graph that was saved as JSON."""
        ...

    def draw(
        self,
        causality: Causality | None = None,
        values: Mapping[str, ndarray | Mapping[str, ndarray]] | None = None,
        *,
        fold: bool | str | Sequence[str] | None = None,
    ) -> Drawing:
        """The drawing of a graph.

        causality  a Causality: draws the strokes, marks stores in derivative causality and conflicts
        values     {"t": (samples,) [s], bond's name: {"effort": (samples, size), "flow": …, "power": (samples,)}, …}:
                   bonds are as wide as their mean power, and an HTML page shows their values over time
        fold       groups (bodies, joints, components) that are drawn as one node each; True: all of them; False: none;
                   None: all where the graph has more than 200 elements
        """
        ...

    def save(
        self,
        file: str | PathLike[str],
        causality: Causality | None = None,
        values: Mapping[str, ndarray | Mapping[str, ndarray]] | None = None,
        *,
        page: str | None = None,
        fold: bool | str | Sequence[str] | None = None,
    ) -> None:
        """Draw a graph into a file: .svg, .pdf, .png or .html (what else is given: see `draw` and `Drawing.save`).

        .json: the graph itself, for `lw.BondGraph.load`.
        """
        ...

    def _repr_svg_(
        self,
    ) -> str | None:
        """What a notebook shows of a graph; None: its text, where there is nothing to draw."""
        ...

    def simulate(
        self,
        duration: float,
        *,
        method: str | None = None,
        solver: str | Solver = 'auto',
        rtol: float = 1e-08,
        atol: float | ndarray = 1e-10,
        output: float | ndarray | None = None,
        step: float | None = None,
        max_step: float | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | Callable[[float], float] | tuple[Sequence[float] | ndarray, Sequence[float] | ndarray]] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Run the graph for `duration` seconds and return its channels over time; `result.bonds` has power and activity.

        method: how causality is assigned: "scap", "relaxed" or "lagrangian" (see `g.causality`), else as `g.method`
            says;
        solver: "auto", a name ("dopri5", "radau", …) or a solver object; output: time between samples [s] (default: 501
        samples), or the times themselves; parameters: values other than the defaults, nothing is compiled again;
        inputs: name → number, (times, values) or function of t. Stores in derivative causality start as the others ask.
        atol: for a state that holds ½ J of energy, so that it means the same in all domains; or one for each state.
        """
        ...

class BondTableFace(Extended):
    def plot(
        self,
        *elements: str,
        file: str | PathLike[str] | None = None,
        title: str | None = None,
        size: tuple[float, float] | None = None,
    ) -> Figure:
        """Draw the activity index of stores and resistors as bars, and powers over time. Returns a Matplotlib Figure.

        elements: whose power to draw; none: the most active ones. file: also write it there: .svg, .png or .pdf;
        title: above the figure, the graph's name unless given; size: width and height [inch]
        """
        ...

class ComparisonFace(Extended):
    def save(
        self,
        file: str | PathLike[str],
    ) -> None:
        """Write a file whole or not at all; the suffix chooses the format: .json or .csv."""
        ...

    @staticmethod
    def load(
        file: str | PathLike[str],
    ) -> Comparison:
        """Read a comparison from JSON; its `results` are empty, because files hold the numbers, not the motions."""
        ...

    def plot(
        self,
        *channels: str,
        file: str | PathLike[str] | None = None,
        log: bool = False,
        title: str | None = None,
        size: tuple[float, float] | None = None,
    ) -> Figure:
        """Draw run − reference against time. Returns a Matplotlib Figure.

        channels  names or patterns; none: those the comparison was asked for, else the speeds that differ most
        file      also write it there: .svg, .png or .pdf
        log       show the size of the difference on a logarithmic scale
        title     above the figure; the model and the reference unless given
        size      width and height [inch]
        """
        ...

    def plot_overlay(
        self,
        *channels: str,
        file: str | PathLike[str] | None = None,
        log: bool = False,
        title: str | None = None,
        size: tuple[float, float] | None = None,
    ) -> Figure:
        """Draw each channel of all runs in one panel, and below it run − reference. Returns a Matplotlib Figure.

        Options as for `plot`; log: differences on a logarithmic scale.
        """
        ...

class FitFace(Extended):
    def plot(
        self,
        *,
        file: str | PathLike[str] | None = None,
        title: str | None = None,
        size: tuple[float, float] | None = None,
    ) -> Figure:
        """Draw each channel, measured and fitted, and its residuals below. Returns a Matplotlib Figure.

        file: also write it there: .svg, .png or .pdf; title: above the figure; size: width and height [inch]
        """
        ...

class LinearizationFace(Extended):
    def kalman(
        self,
        Q: Mapping[str, float] | float | Sequence[Sequence[float]] | ndarray,
        R: Mapping[str, float] | float | Sequence[Sequence[float]] | ndarray,
        *,
        period: float | None = None,
    ) -> Observer:
        """The filter that estimates all states from the outputs with the least variance.

        Q: intensity of white noise, {input: noise that comes in with it, state: on its rate}, one number for all
            states, or
        a matrix; R: {output: of the noise on it}, one number or a matrix: its intensity, or with a period, the variance
            of
        a sample; period [s]: between two samples.
        """
        ...

    def lqr(
        self,
        Q: Mapping[str, float] | float | Sequence[Sequence[float]] | ndarray,
        R: Mapping[str, float] | float | Sequence[Sequence[float]] | ndarray = 1.0,
        *,
        period: float | None = None,
    ) -> Regulator:
        """The regulator that minimises ∫ δxᵀQ δx + δuᵀR δu dt.

        Q: {state or output: weight}, one weight for all states, or a matrix; R: the same for inputs, each > 0;
        period [s]: of a sampled controller that holds inputs in between; the integral is the same.
        """
        ...

    def state_space(
        self,
    ) -> StatespStateSpace:
        """The same as control.StateSpace of the package `control`, with names of states, inputs and outputs; it takes no
        dots in them, so `pin.angle` is `pin_angle` there.
        """
        ...

    def plot(
        self,
        *,
        file: str | PathLike[str] | None = None,
        title: str | None = None,
        size: tuple[float, float] | None = None,
    ) -> Figure:
        """Draw the eigenvalues of a linearisation; those that grow are marked. Returns a Matplotlib Figure.

        file: also write it there: .svg, .png or .pdf; title: above the figure; size: width and height [inch]
        """
        ...

    def plot_modes(
        self,
        count: int = 6,
        *,
        file: str | PathLike[str] | None = None,
        title: str | None = None,
        size: tuple[float, float] | None = None,
    ) -> Figure:
        """Draw the shapes of the slowest modes. Returns a Matplotlib Figure.

        Each bar is how far a coordinate moves, relative to the one that takes most part in the mode; to the left where
            it
        moves against it. Phases other than 0° and 180° stand at the bar. Coordinates of each unit have an axis of their
        own: metres are not compared with radians.
        count: how many modes; file: also write it there: .svg, .png or .pdf; title: above; size: width and height
            [inch]
        """
        ...

class ModelFace(Extended):
    def _repr_html_(
        self,
    ) -> str:
        """Heading, picture and table; what cannot be made is left out, because showing a model must not fail."""
        ...

class ResultFace(Extended):
    def save(
        self,
        path: str | PathLike[str],
    ) -> None:
        """Write the result to `path`: .nc (NetCDF, compact) or .csv (text). Nothing is lost in either."""
        ...

    @staticmethod
    def load(
        path: str | PathLike[str],
    ) -> Result:
        """Read a result that `save` wrote."""
        ...

    def plot_energy(
        self,
        *,
        file: str | PathLike[str] | None = None,
        title: str | None = None,
        size: tuple[float, float] | None = None,
        events: bool = True,
    ) -> Figure:
        """Draw kinetic, potential and dissipated energy stacked, what was there and supplied as a line over them, and
        below it what the balance is off by. Returns a Matplotlib Figure.

        Potential energy is counted from its lowest value in the run, since only its changes mean something. Where the
            line
        and the edge of the stack are one, no energy is lost or made. file: also write it there: .svg, .png or .pdf;
        title: above the figure; size: width and height [inch]; events: mark them
        """
        ...

    def plot_drift(
        self,
        *,
        file: str | PathLike[str] | None = None,
        title: str | None = None,
        size: tuple[float, float] | None = None,
        events: bool = True,
    ) -> Figure:
        """Draw how far constraints are violated and the energy balance is off. Returns a Matplotlib Figure.

        file: also write it there: .svg, .png or .pdf; title: above the figure; size: width and height [inch]; events:
            mark
        """
        ...

    def plot_steps(
        self,
        *,
        file: str | PathLike[str] | None = None,
        title: str | None = None,
        size: tuple[float, float] | None = None,
        events: bool = True,
    ) -> Figure:
        """Draw the step size of the solver over time. Returns a Matplotlib Figure.

        file: also write it there: .svg, .png or .pdf; title: above the figure; size: width and height [inch]; events:
            mark
        """
        ...

    def _repr_html_(
        self,
    ) -> str:
        """Plot and table; where nothing can be plotted, the table alone."""
        ...

    def plot_phase(
        self,
        x: str,
        y: str | None = None,
        *,
        file: str | PathLike[str] | None = None,
        title: str | None = None,
        size: tuple[float, float] | None = None,
    ) -> Figure:
        """Draw y against x: a phase plot, or the path of a point. Returns a Matplotlib Figure.

        x      a channel or pattern, such as "O.angle" or "*.angle"
        y      the same; one for each of x, or several against one x. Unless given: the rate of x (`O.angle.rate`,
            `bar.vx`)
        file   also write it there: .svg, .png or .pdf; title: above the figure; size: width and height [inch]

        An open circle is the start, a full one the end. Lengths against lengths are drawn to the same scale. What jumps
        at one time is joined by a dotted line.
        """
        ...

    def plot(
        self,
        *channels: str | Sequence[str],
        file: str | PathLike[str] | None = None,
        title: str | None = None,
        size: tuple[float, float] | None = None,
        axes: Axes | Iterable[Axes] | None = None,
        label: str = '',
        events: bool = True,
    ) -> FigureFigure:
        """Draw channels over time; those of equal unit share a panel. Returns a Matplotlib Figure.

        channels  names or patterns (`"O.reaction.*"`); a list of them gets panels of its own; none: those the run was
            made
                  to show, else coordinates and energies
        file      also write it there: .svg, .png or .pdf
        title     above the figure; the model's name unless given
        size      width and height [inch]
        axes      draw into these Matplotlib axes, one per unit, instead of a new figure: another run on top of the
            first
        label     added to the names in the legend, to tell runs apart
        events    mark the events of the run
        """
        ...

    def animate(
        self,
        file: str | PathLike[str] | None = None,
        *,
        plot: str | Sequence[str] | None = None,
        trace: Sequence[str] = (),
        follow: str | None = None,
        speed: float | None = None,
        forces: bool = True,
        reactions: bool = False,
        particles: ParticleSystem | None = None,
    ) -> Animation:
        """Animate the run; with a file, write it: .html (one page that plays offline), .gif or .mp4.

        plot: channels to plot along, with a cursor ("piston.x, O.reaction.*"; default: those worth a first look);
        trace: bodies whose mass centres leave a trace, beside the points the model records; follow: a body the camera
            stays
        with; speed: seconds of motion per second; forces, reactions: arrows that are shown at first; particles: those
            of
        formulation "points" on their bodies, m.particles().
        """
        ...

    def snapshot(
        self,
        t: float,
        file: str | PathLike[str] | None = None,
        *,
        labels: bool = False,
        trace: Sequence[str] = (),
        forces: bool = True,
        reactions: bool = False,
        particles: ParticleSystem | None = None,
        dpi: float = 150.0,
    ) -> FigureFigure:
        """A picture of the mechanism at the sample nearest to time t [s]; with a file (.png, .svg, .pdf), write it.

        labels: write the names of bodies and joints; trace, forces, reactions, particles: as for `animate`.
        Returns a Figure.
        """
        ...

class RootLocusFace(Extended):
    def plot(
        self,
        *,
        file: str | PathLike[str] | None = None,
        title: str | None = None,
        size: tuple[float, float] | None = None,
    ) -> Figure:
        """Draw the path of each eigenvalue, coloured by the parameter; where it is unstable the ground is shaded.

        file: also write it there: .svg, .png or .pdf; title: above the figure; size: width and height [inch]
        """
        ...

class TransferFunctionFace(Extended):
    def symbolic(
        self,
        *,
        elements: bool = False,
    ) -> Expr:
        """G(s) as a SymPy expression in s and the graph's parameters, without common factors.

        elements: laws and moduli that are numbers become symbols as well, named after their elements.
        """
        ...

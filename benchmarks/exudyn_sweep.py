"""The sweep of `sweeps.py` by Exudyn's ParameterVariation: a double pendulum, another damping in every case.

Two ways that Exudyn has: a kinematic tree in joint coordinates with DOPRI5 and steps of its own, and bodies in absolute
coordinates with joints as multipliers, by generalized-α (its usual way) with fixed steps.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    CoordinateSpringDamper,
    Force,
    MarkerBodyPosition,
    MarkerNodeCoordinate,
    NodeGenericODE2,
    NodePointGround,
    ObjectGround,
    ObjectKinematicTree,
    RevoluteJoint2D,
    Rigid2D,
    RigidBody2D,
)
from exudyn.processing import ParameterVariation

GRAVITY = 9.80665
DURATION, LENGTH, MASS = 3.0, 0.5, 0.5 * 0.06 * 0.06 * 7700
INERTIA = MASS * (LENGTH**2 + 0.06**2) / 12
ALPHA_STEP, TOLERANCE = 1e-3, 1e-8
"""s, of generalized-α; relative, of DOPRI5."""

warnings.filterwarnings("ignore", category=DeprecationWarning, message="SimulationSettings|exudyn")
exu.SetWriteToConsole(False)


def variation(way: str, damping: np.ndarray, processes: int) -> np.ndarray:
    """Angle of the second joint at the end of each case [rad]."""
    function = {"tree": tree, "bodies": bodies}[way]
    _, values = ParameterVariation(
        function, {"damping": damping.tolist()}, showProgress=False, useMultiProcessing=processes > 1,
        numberOfThreads=processes,
    )  # fmt: skip
    return np.array(values, dtype=float)


def tree(case: dict[str, float]) -> float:
    """Joint coordinates, DOPRI5."""
    system = exu.SystemContainer().AddSystem()
    node = system.AddNode(
        NodeGenericODE2(
            referenceCoordinates=[0.0, 0.0],
            initialCoordinates=[0.0, 0.0],
            initialCoordinates_t=[0.0, 0.0],
            numberOfODE2Coordinates=2,
        )  # fmt: skip
    )
    inertia = np.diag([INERTIA, INERTIA, INERTIA])
    system.AddObject(
        ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[exu.JointType.RevoluteZ] * 2,
            linkParents=[-1, 0],
            jointTransformations=exu.Matrix3DList([np.eye(3), np.eye(3)]),
            jointOffsets=exu.Vector3DList([[0, 0, 0], [LENGTH, 0, 0]]),
            linkInertiasCOM=exu.Matrix3DList([inertia, inertia]),
            linkCOMs=exu.Vector3DList([[LENGTH / 2, 0, 0]] * 2),
            linkMasses=[MASS, MASS],
            gravity=[0, -GRAVITY, 0],
            jointPositionOffsetVector=[0, 0],
            jointVelocityOffsetVector=[0, 0],
            jointPControlVector=[0, 0],
            jointDControlVector=[case["damping"], 0],
        )  # fmt: skip
    )
    system.Assemble()
    options = _options()
    march = options.timeIntegration
    march.numberOfSteps, march.automaticStepSize = 10, True
    march.initialStepSize, march.relativeTolerance, march.absoluteTolerance = 1e-3, TOLERANCE, 1e-2 * TOLERANCE
    system.SolveDynamic(options, solverType=exu.DynamicSolverType.DOPRI5)
    return float(system.GetNodeOutput(node, exu.OutputVariableType.Coordinates)[1])


def bodies(case: dict[str, float]) -> float:
    """Absolute coordinates (x, y, θ), generalized-α."""
    system = exu.SystemContainer().AddSystem()
    ground = system.AddObject(ObjectGround(referencePosition=[0, 0, 0]))
    nodes, arms = [], []
    for k in range(2):
        nodes.append(system.AddNode(Rigid2D(referenceCoordinates=[(k + 0.5) * LENGTH, 0, 0])))
        arms.append(system.AddObject(RigidBody2D(physicsMass=MASS, physicsInertia=INERTIA, nodeNumber=nodes[-1])))
        centre = system.AddMarker(MarkerBodyPosition(bodyNumber=arms[-1], localPosition=[0, 0, 0]))
        system.AddLoad(Force(markerNumber=centre, loadVector=[0, -MASS * GRAVITY, 0]))

    def pin(first: int, second: int, x: float) -> None:
        ends = [(first, [x, 0, 0]), (second, [-LENGTH / 2, 0, 0])]
        markers = [system.AddMarker(MarkerBodyPosition(bodyNumber=b, localPosition=p)) for b, p in ends]
        system.AddObject(RevoluteJoint2D(markerNumbers=markers))

    pin(ground, arms[0], 0.0)
    pin(arms[0], arms[1], LENGTH / 2)
    fixed = system.AddNode(NodePointGround(referenceCoordinates=[0, 0, 0]))
    ends = [
        system.AddMarker(MarkerNodeCoordinate(nodeNumber=fixed, coordinate=0)),
        system.AddMarker(MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=2)),
    ]
    system.AddObject(CoordinateSpringDamper(markerNumbers=ends, stiffness=0, damping=case["damping"]))
    system.Assemble()
    options = _options()
    march = options.timeIntegration
    march.numberOfSteps = math.ceil(DURATION / ALPHA_STEP)
    march.generalizedAlpha.spectralRadius = 0.9
    system.SolveDynamic(options)
    angles = [system.GetNodeOutput(node, exu.OutputVariableType.Coordinates)[2] for node in nodes]
    return float(angles[1] - angles[0])


def _options() -> Any:
    options = exu.SimulationSettings()
    options.timeIntegration.endTime, options.timeIntegration.verboseMode = DURATION, 0
    options.solutionSettings.writeSolutionToFile = False
    return options

"""The N four-bar in Exudyn: the same bodies, joints, start and gravity as `linkwork.examples.n_four_bar`.

Bodies have absolute coordinates (x, y, θ), joints are Lagrange multipliers: the same formulation as Linkwork's
`absolute`. Of Exudyn's solvers for such systems only generalized-α passes the singular positions of this mechanism;
its index-2 variant and the trapezoidal rule stop or gain energy there, so they are not in the comparison.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    Force,
    MarkerBodyPosition,
    ObjectGround,
    RevoluteJoint2D,
    Rigid2D,
    RigidBody2D,
    SensorUserFunction,
)

GRAVITY = 9.81
SAMPLE = 0.02
"""s between the energies that the error is taken from."""

FAILURES = (getattr(exu, "SolverError", ValueError), ValueError)
"""How Exudyn reports a run that stopped, in newer and in older versions."""

# The older names of the settings work in all versions.
warnings.filterwarnings("ignore", category=DeprecationWarning, message="SimulationSettings|exudyn")
exu.SetWriteToConsole(False)  # a failed run is in the table already


@dataclass(frozen=True)
class Setting:
    """step [s]; rho: spectral radius; sparse: Eigen's sparse LU, not Exudyn's dense one; loose: Newton to 1e-5."""

    step: float
    rho: float = 0.8
    sparse: bool = False
    loose: bool = False
    modified: bool = True

    def __str__(self) -> str:
        solver = "sparse" if self.sparse else "dense"
        newton = ("modified" if self.modified else "full") + (" loose" if self.loose else "")
        return f"gen.-α ρ={self.rho:g} {solver}, {newton} Newton, h={self.step * 1e3:.3g} ms"


def energy_error(n: int, duration: float, setting: Setting) -> float:
    """Largest change of the total energy [J] over the run, NaN if the run fails."""
    energies: list[float] = []
    height = np.array([0.5] * (n + 1) + [1.0] * n)

    def record(mbs: Any, *_: Any) -> list[float]:
        q = np.reshape(mbs.systemData.GetODE2Coordinates(), (-1, 3))
        v = np.reshape(mbs.systemData.GetODE2Coordinates_t(), (-1, 3))
        kinetic = (v[:, :2] ** 2).sum() / 2 + (v[:, 2] ** 2).sum() / 24
        energies.append(float(kinetic + GRAVITY * (height + q[:, 1]).sum()))
        return [energies[-1]]

    system = _build(n)
    kept = {"storeInternal": True, "writeToFile": False}
    system.AddSensor(SensorUserFunction(sensorNumbers=[], factors=[], sensorUserFunction=record, **kept))
    if not _solve(system, duration, setting):
        return math.nan
    return float(np.max(np.abs(np.array(energies) - energies[0])))


def run_seconds(n: int, duration: float, setting: Setting) -> float:
    """Wall time [s] of one run that records nothing."""
    system = _build(n)
    system.Assemble()
    clock = time.perf_counter()
    _solve(system, duration, setting, assemble=False)
    return time.perf_counter() - clock


def _build(n: int) -> Any:
    system = exu.SystemContainer().AddSystem()
    ground = system.AddObject(ObjectGround(referencePosition=[0, 0, 0]))

    def rod(x: float, y: float, angle: float, velocity: list[float]) -> int:
        node = system.AddNode(Rigid2D(referenceCoordinates=[x, y, angle], initialVelocities=velocity))
        body = system.AddObject(RigidBody2D(physicsMass=1, physicsInertia=1 / 12, nodeNumber=node))
        system.AddLoad(Force(markerNumber=marker(body, 0), loadVector=[0, -GRAVITY, 0]))
        return int(body)

    def marker(body: int, x: float) -> int:
        return int(system.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[x, 0, 0])))

    def pin(first: int, second: int) -> None:
        system.AddObject(RevoluteJoint2D(markerNumbers=[first, second]))

    upright = [rod(i, 0.5, math.pi / 2, [0.5, 0, -1]) for i in range(n + 1)]
    level = [rod(i + 0.5, 1, 0, [1, 0, 0]) for i in range(n)]
    for i in range(n + 1):
        pin(marker(ground, i), marker(upright[i], -0.5))
    for i in range(n):
        pin(marker(upright[i], 0.5), marker(level[i], -0.5))
        pin(marker(upright[i + 1], 0.5), marker(level[i], 0.5))
    return system


def _solve(system: Any, duration: float, setting: Setting, *, assemble: bool = True) -> bool:
    if assemble:
        system.Assemble()
    options = exu.SimulationSettings()
    march = options.timeIntegration
    march.numberOfSteps, march.endTime, march.verboseMode = round(duration / setting.step), duration, 0
    march.generalizedAlpha.spectralRadius = setting.rho
    march.newton.useModifiedNewton = setting.modified
    if setting.loose:
        march.newton.relativeTolerance, march.newton.absoluteTolerance = 1e-5, 1e-6
    options.solutionSettings.writeSolutionToFile = False
    options.solutionSettings.sensorsWritePeriod = SAMPLE
    options.linearSolverType = exu.LinearSolverType.EigenSparse if setting.sparse else exu.LinearSolverType.EXUdense
    options.linearSolverSettings.reuseAnalyzedPattern = setting.sparse
    try:
        return bool(system.SolveDynamic(options))
    except FAILURES:
        return False

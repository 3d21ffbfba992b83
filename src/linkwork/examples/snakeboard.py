"""Snakeboard: four wheels, two steered wheelsets, a flywheel for the rider; it moves by wriggling alone (ACA 4.3)."""

from collections.abc import Callable

import numpy as np

import linkwork as lw
from linkwork.components import shapes

DURATION = 20.0
SHOW = ("flywheel.x", "flywheel.y", "front.angle", "rider.angle", "energy.kinetic")

GAITS = {"drive": (1.0, 1.0), "rotate": (1.0, 2.0), "parking": (2.0, 3.0)}
"""Frequencies of the wheelsets and of the flywheel [rad/s]: they go ahead, turn on the spot, or sideways."""
HALF, TRACK, RADIUS = 0.2, 0.15, 0.03
"""Half the distance of the wheelsets, length of an axle, radius of a wheel [m]."""
BAR, FLYWHEEL, AXLE, WHEEL = 0.5, 5.0, 0.2, 0.1
"""Masses of half the coupler, the flywheel, an axle, a wheel [kg]."""
BAR_INERTIA, FLYWHEEL_INERTIA, AXLE_INERTIA = 0.003, 0.072, 0.0013
"""About the vertical through the mass centre [kg·m²]; that of half a coupler is in its middle."""


def model(gait: str = "drive", steer: float = 0.3, swing: float = 0.7, compliant: bool = False) -> lw.Model:
    """gait: "drive", "rotate" or "parking"; amplitudes of the wheelsets and of the flywheel [rad].

    compliant: hubs and coupler give way along their axes (ACA's SpringIdealJoint); otherwise they are rigid pins, which
    leave some axial forces open.

    Parameters: frequencies `steering` and `swinging` [rad/s] of the gait; `stiffness` [N/m] and `damping` [N·s/m] of
    the joints that give way along their axes; `neglected`, a factor on what the ideal model of Lewis and others leaves
    out: masses of axles and wheels, spin of the wheels.
    """
    if gait not in GAITS:
        raise lw.ModelError(f"gait {gait!r}.", component="snakeboard", remedy=f"Choose one of {', '.join(GAITS)}.")
    m = lw.Model("snakeboard", gravity=(0, 0, -9.81))
    m.natural = "minimal"  # light wheels beside a heavy rider would spoil the balance of absolute coordinates
    c = m.parameter("stiffness", 1000.0, unit="N/m")
    d = m.parameter("damping", 5000.0, unit="N·s/m")
    share = m.parameter("neglected", 1.0)
    steering = m.parameter("steering", GAITS[gait][0], unit="rad/s")
    swinging = m.parameter("swinging", GAITS[gait][1], unit="rad/s")

    def hinge(name: str, a: lw.Marker, b: lw.Marker) -> lw.Joint:
        return m.spring_ideal(name, a, b, stiffness=c, damping=d) if compliant else m.fixed_ideal(name, a, b)

    across, along = _axes((0, 1, 0)), _axes((1, 0, 0))
    bars = {}
    for end, place in (("back", -HALF), ("front", HALF)):
        bar = m.body(f"{end}-bar", mass=BAR, inertia=(BAR_INERTIA / 10, BAR_INERTIA, BAR_INERTIA))
        bars[end] = bar.start(position=(place / 2, 0, RADIUS)).shape(shapes.Box((HALF, 0.04, 0.01)))
        axle = m.body(f"{end}-axle", mass=share * AXLE, inertia=(AXLE_INERTIA, AXLE_INERTIA / 10, AXLE_INERTIA))
        axle.start(position=(place, 0, RADIUS)).shape(shapes.Rod((0, -TRACK / 2, 0), (0, TRACK / 2, 0), 0.006))
        sign = np.sign(place)
        m.fixed_servo(end, bar.at(place / 2, 0, 0), axle.at(), angle=_sine(sign * steer, steering))
        for side, y in (("left", TRACK / 2), ("right", -TRACK / 2)):
            spin = share * WHEEL * RADIUS**2
            wheel = m.body(f"{end}-{side}", mass=share * WHEEL, inertia=(spin / 4, spin / 2, spin / 4))
            wheel.start(position=(place, y, RADIUS)).shape(shapes.Wheel(RADIUS, 0.015, "y"))
            hinge(f"{end}-{side}-hub", axle.at(0, y, 0, rotation=across), wheel.at(rotation=across))
            m.rolling(f"{end}-{side}-contact", wheel.at(rotation=across), radius=RADIUS)
    hinge("coupler", bars["back"].at(HALF / 2, 0, 0, rotation=along), bars["front"].at(-HALF / 2, 0, 0, rotation=along))
    rider = FLYWHEEL_INERTIA
    flywheel = m.body("flywheel", mass=FLYWHEEL, inertia=(rider, rider, rider)).start(position=(0, 0, RADIUS))
    flywheel.shape(shapes.Box((0.06, 0.3, 0.03), at=(0, 0, 0.03)))
    m.fixed_servo("rider", bars["back"].at(HALF / 2, 0, 0), flywheel.at(), angle=_sine(swing, swinging))
    bars["back"].start(velocity=(0, 0, 0))
    return m


def _sine(amplitude: float, frequency: lw.SX) -> Callable[[lw.SX], lw.SX]:
    return lambda t: amplitude * lw.sin(frequency * t)


def _axes(direction: tuple[float, float, float]) -> np.ndarray:
    """A frame whose z axis points along `direction`, which is horizontal; its x axis points up or ahead."""
    z = np.array(direction, dtype=float)
    x = np.array([1.0, 0, 0]) if abs(z[0]) < 0.5 else np.array([0, 0, -1.0])
    return np.column_stack([x, np.cross(z, x), z])

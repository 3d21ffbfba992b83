"""Wheelset: two wheels that roll without slip at the ends of a rod (ACA (9)–(13)), driven unevenly so that it turns."""

from collections.abc import Callable

import numpy as np

import linkwork as lw
from linkwork.components import shapes

DURATION = 10.0
SHOW = ("rod.x", "rod.y", "left.angle.rate", "right.angle.rate", "right.slide")

WHEEL, ROD = 2.0, 3.0
"""Masses [kg]."""
RADIUS, LENGTH = 0.3, 1.2
"""Of the wheels and of the rod [m]."""
WHEEL_INERTIA = (0.045, 0.09, 0.045)
"""About the mass centre, the axle is y [kg·m²]."""
ROD_INERTIA = (0.36, 0.004, 0.36)


def model(compliant: bool = True, speed: float = 1.0) -> lw.Model:
    """compliant: joints give way along the axle (ACA's SpringIdealJoint); otherwise they are rigid pins.

    Rigid pins leave the share of the axial force between the wheels open. speed: forward at the start [m/s].
    Torques on the wheels swing with the amplitudes `left`, `right` [N·m].
    """
    m = lw.Model("wheelset", gravity=(0, 0, -9.81))
    c = m.parameter("stiffness", 1000.0, unit="N/m")
    d = m.parameter("damping", 5000.0, unit="N·s/m")
    torque = {
        "left": m.parameter("left-torque", 0.4, unit="N·m"),
        "right": m.parameter("right-torque", 0.7, unit="N·m"),
    }
    across = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # z of these axes is the world's y: the axle
    rod = m.body("rod", mass=ROD, inertia=ROD_INERTIA).start(position=(0, 0, RADIUS))
    rod.shape(shapes.Rod((0, -LENGTH / 2, 0), (0, LENGTH / 2, 0), 0.03))
    for side, y in (("left", LENGTH / 2), ("right", -LENGTH / 2)):
        wheel = m.body(f"{side}-wheel", mass=WHEEL, inertia=WHEEL_INERTIA)
        wheel.shape(shapes.Wheel(RADIUS, 0.05, "y"))
        wheel.start(position=(0, y, RADIUS), velocity=(speed, 0, 0), spin=(0, speed / RADIUS, 0))
        ends = rod.at(0, y, 0, rotation=across), wheel.at(rotation=across)
        if compliant:
            m.spring_ideal(side, *ends, stiffness=c, damping=d).slide.start(0, rate=0)
        else:
            m.fixed_ideal(side, *ends)
        m.rolling(f"{side}-contact", wheel.at(rotation=across), radius=RADIUS)
        m.torque(f"{side}-drive", wheel, _swing(torque[side]), frame="body")
    rod.start(velocity=(speed, 0, 0), spin=(0, 0, 0))
    return m


def _swing(amplitude: lw.SX) -> Callable[[lw.SX], tuple[lw.SX | float, ...]]:
    """A torque about the axle that is the same sine for every wheel."""
    return lambda t: (0, amplitude * lw.sin(t), 0)

"""Double pendulum: two steel boxes, a damper in the first joint (Modelica's MultiBody example)."""

import linkwork as lw

DURATION = 3.0
SHOW = ("upper.angle", "lower.angle", "energy.*")


def model(damping: float = 0.1) -> lw.Model:
    """Two boxes of 0.5 m × 0.06 m × 0.06 m, density 7700 kg/m³, that start horizontally; damping [N·m·s/rad]."""
    m = lw.Model("double-pendulum", gravity=(0, -9.80665))
    size = (0.5, 0.06, 0.06)
    first, second = m.box("arm1", size, density=7700), m.box("arm2", size, density=7700)
    upper = m.revolute("upper", m.ground.at(0, 0), first.at(-0.25, 0))
    lower = m.revolute("lower", first.at(0.25, 0), second.at(-0.25, 0))
    upper.angle.law(lw.Damper(m.parameter("damping", damping, unit="N·m·s/rad")))
    upper.angle.start(0, rate=0)
    lower.angle.start(0, rate=0)
    m.point("tip", second.at(0.25, 0))
    return m

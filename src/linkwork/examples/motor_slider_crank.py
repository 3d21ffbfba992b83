"""A DC motor with its rotor and gear drives a slider-crank; a PID controller keeps the speed."""

import linkwork as lw

DURATION = 3.0
SHOW = ("O.angle.rate", "motor.current", "motor.voltage", "piston.x", "rotor.speed")


def model(speed: float = 6.0) -> lw.Model:
    """speed: of the crank [rad/s]. The supply of 24 V is limited; the rotor's inertia adds to the crank's, times 5²."""
    m = lw.Model("motor and slider-crank", gravity=(0, -9.81))
    wanted = m.parameter("speed", speed, unit="rad/s")
    crank = m.body("crank", mass=1, inertia=0.1)
    rod = m.body("rod", mass=1, inertia=0.1)
    piston = m.body("piston", mass=1, inertia=0.1)
    O = m.revolute("O", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("A", crank.at(0.1, 0), rod.at(-0.5, 0))
    m.revolute("B", rod.at(0.5, 0), piston.at(0, 0))
    P = m.prismatic("P", m.ground.at(0, 0), piston.at(0, 0))
    P.slide.law(lw.Damper(5))
    O.angle.start(0.3, rate=0)
    gear = m.shaft_gear("gear", None, O.angle, ratio=5)
    m.shaft_inertia("rotor", gear.a, inertia=2e-3)
    tacho = m.coordinate_sensor("tacho", O.angle, "rate")
    control = m.pid("control", target=wanted, measured=tacho, kp=4.0, ki=20.0, limit=24.0)
    supply = m.voltage_source("supply", control)
    earth = m.earth("earth", supply.n)
    m.dc_motor("motor", gear.a, p=supply.p, n=earth, resistance=0.8, inductance=2e-3, constant=0.25)
    return m

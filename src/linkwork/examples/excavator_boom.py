"""Excavator: boom, arm and bucket, three cylinders on 4/3 valves, one pump."""

import linkwork as lw

DURATION = 6.0
SHOW = ("O.angle", "B.angle", "tip.x", "tip.y", "lift.head.p", "supply.pressure")
BULK_MODULUS = 1.2e9
"""Of the oil [Pa]."""
SEALS = 2e4
"""Their viscous friction [N·s/m]."""


def model(work: bool = True) -> lw.Model:
    """The boom is raised, the arm pulled in, the bucket curled, and all held; without `work` all valves stay shut.

    The bucket hangs on a four-bar of rocker and link. Shut valves let nothing pass: what is held does not creep.
    """
    m = lw.Model("excavator", gravity=(0, -9.81))
    boom = m.body("boom", mass=600, inertia=900).start(position=(1.64, 2.15), angle=0.6)
    arm = m.body("arm", mass=300, inertia=130).start(position=(3.46, 2.8), angle=-1.2)
    bucket = m.body("bucket", mass=200, inertia=20).start(position=(3.9, 1.4), angle=-2.1)
    rocker = m.body("rocker", mass=20, inertia=0.4).start(position=(4.0, 2.1), angle=0.1)
    link = m.body("link", mass=20, inertia=0.6).start(position=(4.3, 1.8), angle=-1.6)
    O = m.revolute("O", m.ground.at(0, 1), boom.at(-2, 0))
    B = m.revolute("B", boom.at(2, 0), arm.at(-0.5, 0))
    m.revolute("C", arm.at(1.3, 0), bucket.at(-0.3, 0.1))
    D = m.revolute("D", arm.at(0.9, 0), rocker.at(-0.225, 0))
    m.revolute("E", rocker.at(0.225, 0), link.at(-0.26, 0))
    m.revolute("F", link.at(0.26, 0), bucket.at(-0.352, 0.395))
    O.angle.start(0.6)
    B.angle.start(-1.8)
    D.angle.start(1.3)
    m.point("tip", bucket.at(0.5, -0.3))
    tank = m.tank("tank", pressure=2e5)
    supply = m.chamber("supply", volume=5e-3, bulk_modulus=1.2e9, pressure=5e6)
    m.flow_source("pump", 1.5e-3, tank, supply)
    m.relief_valve("relief", supply, tank, opening=2e7, gain=1e-9)
    mounts = {  # frames, length then, areas [m²], pressures that carry the weight [Pa]
        "lift": (m.ground.at(0.8, 0.5), boom.at(-0.5, -0.2), 1.34, (9.5e-3, 5.1e-3), (8.0e6, 2e5)),
        "crowd": (boom.at(0.3, 0.35), arm.at(-0.9, 0.15), 1.6, (7.9e-3, 4.1e-3), (2e5, 1e6)),
        "curl": (arm.at(-0.3, 0.25), rocker.at(0.225, 0), 1.34, (5.0e-3, 2.5e-3), (2e5, 1e6)),
    }
    spools = {
        "lift": lw.Table([0.5, 0.8, 2.0, 2.3], [0, 0.4, 0.4, 0]),
        "crowd": lw.Table([1.5, 1.8, 3.0, 3.3], [0, 0.4, 0.4, 0]),
        "curl": lw.Table([2.5, 2.8, 3.7, 4.0], [0, 0.4, 0.4, 0]),
    }
    for name, (a, b, length, (head, rod), pressure) in mounts.items():
        cylinder = m.hydraulic_cylinder(
            name,
            a,
            b,
            length=length,
            head_area=head,
            rod_area=rod,
            head_volume=0.6 * head,
            rod_volume=0.7 * rod,
            pressure=pressure,
            bulk_modulus=BULK_MODULUS,
            damping=SEALS,
        )
        for side in (cylinder.head, cylinder.rod):  # no vacuum: oil is drawn in from the tank
            m.check_valve(f"{name}-{side.label}-suction", tank, side, area=1e-4)
        spool = spools[name] if work else 0.0
        m.directional_valve(
            f"{name}-valve", supply, tank, cylinder.head, cylinder.rod, spool=spool, area=4e-5, overlap=0.05
        )
    return m

"""Andrews' squeezer: the seven-body mechanism of AME part II, with the data of the IVP test set."""

from math import cos, sin

import linkwork as lw

DURATION = 0.03
SHOW = ("O.angle", "B.angle", "K5.angle", "K7.angle")

A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
D, DA, E, EA, RR, RA, SS, SA, SB, SC, SD = (
    0.028,
    0.0115,
    0.02,
    0.01421,
    0.007,
    0.00092,
    0.035,
    0.01874,
    0.01043,
    0.018,
    0.02,
)
TA, TB, U, UA, UB, ZF, ZT, FA = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
BETA, GAMMA, PHI = -0.0617138900142764, 0.455279819163070, 0.222668390165886
DELTA, OMEGA, EPSILON = 0.487364979543843, -0.222668390165886, 1.23054744454982


def model() -> lw.Model:
    """Seven bodies, three loops, one spring; a torque of 0.033 N·m drives the short crank. No gravity."""
    m = lw.Model("squeezer", gravity=(0, 0))
    torque = m.parameter("torque", 0.033, unit="N·m")
    k = [m.body(f"K{i + 1}", mass=MASS[i], inertia=INERTIA[i]) for i in range(7)]
    # Body angles as in the test set: β, β+Θ, γ, Φ+δ, δ, Ω+ε, ε.
    b, g, f, d, w, e = BETA, GAMMA, PHI + DELTA, DELTA, OMEGA + EPSILON, EPSILON
    k[0].start(position=(RA * cos(b), RA * sin(b)), angle=b)
    k[1].start(position=((RR - DA) * cos(b), (RR - DA) * sin(b)), angle=b)
    k[2].start(position=(B[0] + SA * sin(g) + SB * cos(g), B[1] - SA * cos(g) + SB * sin(g)), angle=g)
    k[3].start(position=(A[0] + ZT * cos(d) + (E - EA) * sin(f), A[1] + ZT * sin(d) - (E - EA) * cos(f)), angle=f)
    k[4].start(position=(A[0] + TA * cos(d) - TB * sin(d), A[1] + TA * sin(d) + TB * cos(d)), angle=d)
    k[5].start(position=(A[0] + U * sin(e) + (ZF - FA) * cos(w), A[1] - U * cos(e) + (ZF - FA) * sin(w)), angle=w)
    k[6].start(position=(A[0] + UA * sin(e) - UB * cos(e), A[1] - UA * cos(e) - UB * sin(e)), angle=e)
    # Pins; local coordinates follow from the mass centres above. F is where bodies 2, 3, 4 and 6 meet.
    O = m.revolute("O", m.ground.at(0, 0), k[0].at(-RA, 0))
    m.revolute("E1", k[0].at(RR - RA, 0), k[1].at(DA, 0))
    m.revolute("F3", k[1].at(DA - D, 0), k[2].at(-SB, SA - SS))
    m.revolute("F4", k[1].at(DA - D, 0), k[3].at(0, -EA))
    m.revolute("F6", k[1].at(DA - D, 0), k[5].at(FA, 0))
    m.revolute("B", m.ground.at(*B), k[2].at(-SB, SA))
    m.revolute("G", k[3].at(0, E - EA), k[4].at(ZT - TA, -TB))
    m.revolute("A5", m.ground.at(*A), k[4].at(-TA, -TB))
    m.revolute("H", k[5].at(FA - ZF, 0), k[6].at(UB, UA - U))
    m.revolute("A7", m.ground.at(*A), k[6].at(UB, UA))
    m.spring("spring", k[2].at(SD - SB, SA - SC), m.ground.at(*C), stiffness=4530, length=0.07785)
    O.angle.law(lw.Effort(torque))
    O.angle.start(BETA, rate=0)
    return m

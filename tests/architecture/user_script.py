"""A user's script of forty lines: type checkers know the type of everything in it."""

import linkwork as lw

m = lw.Model("slider-crank", gravity=(0, -9.81))
length = m.parameter("L", 1.0, unit="m")
voltage = m.input("u", 12.0, unit="V")
crank = m.body("crank", mass=1, inertia=0.1).start(angle=0.3)
rod = m.rod("rod", length=1.0, mass=2.0)
piston = m.body("piston", mass=0.5, inertia=0.01)
O = m.revolute("O", m.ground.at(0, 0), crank.at(-0.1, 0))
A = m.revolute("A", crank.at(0.1, 0), rod.at(-length / 2, 0))
B = m.revolute("B", rod.at(length / 2, 0), piston)
P = m.prismatic("P", m.ground.at(0, 0), piston.at())
S = m.spring("S", m.ground.at(2, 0), piston, stiffness=100.0, length=lambda t: 1 + 0.1 * lw.sin(t), damping=1)
motor = m.dc_motor("motor", O.angle, voltage=voltage, resistance=1.0, inductance=1e-3, constant=0.1)
tip = m.point("tip", rod.at(0, 0.1))
O.angle.law(lw.Effort(lambda t, v: lw.cos(t) - 0.1 * v)).law(lw.Damper(2))
P.slide.law(lw.Damper(5))
angle = O.angle.start(0.3, rate=0)
current = motor.current
r = m.simulate(5, formulation="absolute", rtol=1e-8, output=0.01, inputs={"u": lambda t: 12.0})
x = r["piston.x"]
t = r.t
work = r.final
figure = r.plot("piston.x", "O.reaction.*")
film = r.animate(trace=["piston"])
report = m.check()
start = m.assemble(parameters={"L": 1.1})
linear = m.linearize(inputs=["u"], outputs=["O.angle"])
eigenvalues = linear.eigenvalues
rest = m.equilibrium()
motion = m.kinematics(1.0, drive={O.angle: lambda t: 0.3 + t})
loads = m.inverse_dynamics({O.angle: lambda t: 0.3 + t}, 1.0)
sheet = m.equations("minimal")
text = sheet.latex()
agreement = m.compare(["absolute", "minimal"], 1.0)
graph = m.bondgraph()
slopes = m.sensitivity("piston.x", "L", 1.0)
best = m.optimise(lw.Final("piston.x"), {"L": (0.5, 2.0)}, 1.0)

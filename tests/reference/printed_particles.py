"""PRT's momentum equations (16)–(25), written out as the paper has them, in all r̈ at once."""

import casadi as ca
import numpy as np

import linkwork as lw
from linkwork.geometry import rotations
from linkwork.simulation.prepare import Choice, prepare


def skew(r):
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


class Body:
    """A body by its particles 1, 2, 4, 3: masses of (1), reduced ones, and coefficients of r̈₁, r̈₂, r̈₄ in (16), (17)."""

    def __init__(self, particles, r, v):
        masses = {p.number: p.mass for p in particles}
        pairs = {frozenset(k): m for k, m in masses.items() if isinstance(k, tuple)}
        number = [1, 2, 4, 3]
        s = {p.number: p.place for p in particles if not isinstance(p.number, tuple)}
        s21, s41, s31 = s[2] - s[1], s[4] - s[1], s[3] - s[1]
        lam, mu, tau = np.linalg.solve(np.column_stack([np.cross(s21, s41), s41, s21]), s31)  # (12)
        r21, r41 = r[1] - r[0], r[2] - r[0]
        v21, v41 = v[1] - v[0], v[2] - v[0]
        r3 = r[0] + lam * np.cross(r21, r41) + mu * r41 + tau * r21
        r = [*r, r3]
        # (15), with the velocity term of (14) that the paper leaves out
        third = [
            (1 - mu - tau) * np.eye(3) + lam * skew(r[2] - r[1]),
            tau * np.eye(3) - lam * skew(r41),
            mu * np.eye(3) + lam * skew(r21),
        ]
        own = 2 * lam * np.cross(v21, v41)
        between = lambda i, j: pairs[frozenset((number[i], number[j]))]  # noqa: E731
        bar = [masses[number[i]] + sum(between(i, j) for j in range(4) if j != i) / 2 for i in range(4)]  # (7)
        bars = [masses[number[i]] + sum(between(i, j) for j in range(4) if j != i) / 4 for i in range(4)]  # (9)
        A = [  # (8), about particle 1
            bars[i] * skew(r[i] - r[0]) + sum(between(i, j) / 4 * skew(r[j] - r[0]) for j in range(4) if j != i)
            for i in range(4)
        ]
        self.R = [bar[i] * np.eye(3) + bar[3] * third[i] for i in range(3)]  # (16)
        self.R0 = bar[3] * own
        self.G = [A[i] + A[3] @ third[i] for i in range(3)]  # (17)
        self.G0 = A[3] @ own
        self.r, self.v, self.mass = r, v, sum(bar)
        self.centre = sum(b * x for b, x in zip(bar, r, strict=True)) / self.mass


def appended(rows, values, body, at, columns):
    """Distance equations (21) between a body's state particles, but for pairs that are both its parent's."""
    for i, j in ((1, 0), (2, 0), (2, 1)):
        if columns[i] is None and columns[j] is None:
            continue
        row = np.zeros(at)
        d, rate = body.r[i] - body.r[j], body.v[i] - body.v[j]
        for k, sign in ((i, 1), (j, -1)):
            if columns[k] is not None:
                row[columns[k]] += sign * d
        rows.append(row)
        values.append(-rate @ rate)


def state_of(m):
    """A consistent start: positions, velocities and accelerations of the particles that are states."""
    ready = prepare(m, Choice("points"))
    n = ready.program.layout.q
    y = ready.state
    dot = np.array(ready.program.symbolic("rhs")(0.0, y, ready.p)).ravel()
    return y[:n].reshape(-1, 3), y[n : 2 * n].reshape(-1, 3), dot[n : 2 * n].reshape(-1, 3)


def balls(n):
    rng = np.random.default_rng(n)
    m = lw.Model("chain", gravity=(0.3, -0.2, -9.81))
    last = m.ground.at(0, 0, 0)
    for k in range(n):
        b = m.body(f"b{k}", mass=1 + k, inertia=(0.3, 0.4, 0.5, 0.02, 0.01, -0.03))
        joint = m.spherical(f"j{k}", last, b.at(-0.5, 0.1, 0))
        for c in joint.coordinates:
            c.start(rng.normal(), rate=rng.normal())
        last = b.at(0.5, 0.2, -0.1)
    return m


def spherical_chain(n):
    """(20), (21): 6 N equations in 6 N unknowns r̈₂, r̈₄; particle 2 of each body is particle 1 of the next.

    Largest differences of r̈, and of the reaction at the first joint by (16), relative to the largest of them.
    """
    m = balls(n)
    system = m.particles()
    r, v, found = state_of(m)
    bodies, columns = [], []
    for k in range(n):
        first = (np.zeros(3), np.zeros(3)) if k == 0 else (r[2 * k - 2], v[2 * k - 2])
        bodies.append(Body(system[f"b{k}"], [first[0], r[2 * k], r[2 * k + 1]], [first[1], v[2 * k], v[2 * k + 1]]))
        at = [None if k == 0 else slice(6 * k - 6, 6 * k - 3), slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)]
        columns.append(at)
    rows, values, gravity = [], [], np.array([0.3, -0.2, -9.81])
    for j in range(n):  # (20): moments of all that joint j carries, about it
        block, value = np.zeros((3, 6 * n)), np.zeros(3)
        for k in range(j, n):
            arm = skew(bodies[k].r[0] - bodies[j].r[0])
            for i in range(3):
                if columns[k][i] is not None:
                    block[:, columns[k][i]] += bodies[k].G[i] + arm @ bodies[k].R[i]
            value += np.cross(bodies[k].centre - bodies[j].r[0], bodies[k].mass * gravity)
            value -= bodies[k].G0 + arm @ bodies[k].R0
        rows += list(block)
        values += list(value)
        appended(rows, values, bodies[j], 6 * n, columns[j])
    literal = np.linalg.solve(np.array(rows), np.array(values)).reshape(-1, 3)
    # (16): the reaction at the first joint
    total = np.zeros(3)
    for k, body in enumerate(bodies):
        second = [np.zeros(3) if k == 0 else literal[2 * k - 2], literal[2 * k], literal[2 * k + 1]]
        total += sum(R @ a for R, a in zip(body.R, second, strict=True)) + body.R0 - body.mass * gravity
    told = m.evaluate(formulation="points")
    reaction = [told[f"j0.reaction.f{x}"].item() for x in "xyz"]
    return np.abs(literal - found).max() / np.abs(found).max(), np.abs(total - reaction).max() / np.abs(total).max()


def hinge_and_slider():
    """Steps 3 and 4: one moment along the axis of a hinge, one force (25) along that of a slider, with (23).

    Largest difference of r̈, relative to the largest of them.
    """
    m = lw.Model("arm", gravity=(0.3, -0.2, -9.81))
    a = m.body("a", mass=1.5, inertia=(0.3, 0.4, 0.5, 0.02, 0.01, -0.03))
    b = m.body("b", mass=2.5, inertia=(0.2, 0.4, 0.3, 0.02, -0.01, -0.03))
    hinge = m.revolute("hinge", m.ground, a, point=(0, 0, 0), axis=(0, 0.6, 0.8))
    slider = m.prismatic("slider", a.at(0.4, 0.1, 0.2), b.at(0, 0, 0))
    a.particles((0, 0, 0), (0, 0.6, 0.8), (0.4, 0.1, 0.2))
    b.particles((0, 0, 0), (0.7, 0, 0), (0, 0.6, 0.1))
    hinge.angle.start(0.4, rate=1.3)
    slider.slide.start(0.3, rate=-0.7)
    system = m.particles()
    r, v, found = state_of(m)
    axis = np.array([0, 0.6, 0.8])
    one = Body(system["a"], [np.zeros(3), axis, r[0]], [np.zeros(3), np.zeros(3), v[0]])
    two = Body(system["b"], list(r[1:]), list(v[1:]))
    gravity = np.array([0.3, -0.2, -9.81])
    columns = [[None, None, slice(0, 3)], [slice(3 * k, 3 * k + 3) for k in (1, 2, 3)]]
    rows, values = [], []
    block, value = np.zeros((3, 12)), np.zeros(3)
    for body, at in zip((one, two), columns, strict=True):  # step 3: about the axis, of both bodies
        for i in range(3):
            if at[i] is not None:
                block[:, at[i]] += body.G[i] + skew(body.r[0]) @ body.R[i]
        value += np.cross(body.centre, body.mass * gravity) - body.G0 - skew(body.r[0]) @ body.R0
    rows.append(axis @ block)
    values.append(axis @ value)
    along = (two.r[1] - two.r[0]) / np.linalg.norm(two.r[1] - two.r[0])
    block = np.zeros((3, 12))
    for i in range(3):
        block[:, columns[1][i]] = two.R[i]
    rows.append(along @ block)  # step 4: the force along the slider
    values.append(along @ (two.mass * gravity - two.R0))
    appended(rows, values, one, 12, columns[0])
    appended(rows, values, two, 12, columns[1])
    # (23): what slides keeps two lines parallel and in line, and does not turn about them; of body a, fixed vectors
    x, xdot = ca.SX.sym("x", 12), ca.SX.sym("v", 12)
    r1, r2, r4 = (ca.DM(p) for p in (np.zeros(3), axis, r[0]))
    R = _axes([r1, r2, x[:3]]) @ _axes([r1, r2, r4]).T
    start = m.evaluate()
    q = np.array([start[f"a.q{k}"].item() for k in range(4)])
    R0 = np.array(ca.DM(rotations.from_quaternion(ca.DM(q))))
    guide = [R @ ca.DM(R0[:, k]) for k in range(3)]
    arm = x[3:6] - x[:3]
    rows23 = [ca.dot(arm, guide[1]), ca.dot(arm, guide[2])]
    rows23 += [ca.dot(x[6:9] - x[3:6], guide[k]) for k in (1, 2)]
    normal = np.cross([0, 0.6, 0.1], [1, 0, 0])
    normal /= np.linalg.norm(normal)
    rows23 += [ca.dot(x[9:12] - x[3:6], sum((normal[k] * guide[k] for k in range(3)), ca.SX(3, 1)))]
    phi = ca.vertcat(*rows23)
    J = ca.jacobian(phi, x)
    bias = ca.jtimes(J @ xdot, x, xdot)
    J, bias, off = (np.array(e) for e in ca.Function("f", [x, xdot], [J, bias, phi])(r.ravel(), v.ravel()))
    assert np.abs(off).max() < 1e-9
    rows += list(J)
    values += list(-bias.ravel())
    matrix, right = np.array(rows), np.array(values)
    assert matrix.shape == (12, 12)
    literal = np.linalg.solve(matrix, right).reshape(-1, 3)
    return np.abs(literal - found).max() / np.abs(found).max()


def _axes(r):
    first = (r[1] - r[0]) / ca.norm_2(r[1] - r[0])
    third = ca.cross(first, r[2] - r[0])
    third = third / ca.norm_2(third)
    return ca.horzcat(first, ca.cross(third, first), third)

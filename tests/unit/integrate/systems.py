"""Small systems with known solutions, compiled, for the tests of the integrators."""

import casadi as ca
import numpy as np

from linkwork.compile.native import compile_function
from linkwork.core.program import Program, StateLayout


def mechanical(*, mass, force, q, v, z=None, zdot=None, position=None, copies=1, p=None, inputs=None, events=(), g=None,
               t=None, unweighted=(), constrained=None):  # fmt: skip
    """A Program for M v' + A'λ = f, z' = zdot, Φ(q) = 0 with q' = v; each constraint row appears `copies` times."""
    t = ca.SX.sym("t") if t is None else t
    z = ca.SX(0, 1) if z is None else z
    zdot = ca.SX(0, 1) if zdot is None else zdot
    p = ca.SX.sym("p", 0) if p is None else p
    phi = ca.SX(0, 1) if position is None else ca.vertcat(*[position] * copies)
    a, lam, rate = ca.SX.sym("a", v.numel()), ca.SX.sym("lam", phi.numel()), ca.SX.sym("zd", z.numel())
    y = ca.vertcat(q, v, z)
    A = ca.jacobian(phi, q)
    gamma = -ca.jacobian(A @ v, q) @ v
    balance = mass @ a + A.T @ lam - force
    single = ca.SX(0, 1) if position is None else position
    S = ca.jacobian(single, q)
    if single.numel():
        inverse = ca.inv(mass)
        schur = S @ inverse @ S.T
        multiplier = ca.solve(schur, S @ inverse @ force + ca.jacobian(S @ v, q) @ v)
        acceleration = inverse @ (force - S.T @ multiplier)
        moved = q - inverse @ S.T @ ca.solve(schur, single)
        there = ca.substitute(S, q, moved)
        slower = v - inverse @ there.T @ ca.solve(there @ inverse @ there.T, there @ v)
        residual = ca.vertcat(ca.norm_inf(single), ca.norm_inf(S @ v))
    else:
        acceleration = ca.solve(mass, force) if v.numel() else ca.SX(0, 1)
        moved, slower, residual = q, v, ca.SX.zeros(2)
    Y, x, c, step = (
        ca.SX.sym("Y", y.numel() + a.numel() + lam.numel()),
        ca.vertcat(a, lam),
        ca.SX.sym("c", 4),
        ca.SX.sym("s", v.numel()),
    )
    F = ca.substitute(ca.vertcat(v, a, zdot, balance, A @ a - gamma), ca.vertcat(y, x), Y)
    alpha = ca.vertcat(balance, rate - zdot, phi)
    by_a = c[0] * ca.jacobian(alpha, a) + c[1] * ca.jacobian(alpha, v) + c[2] * ca.jacobian(alpha, q)
    by_z = ca.jacobian(alpha, rate) + c[3] * ca.jacobian(alpha, z)
    newton = ca.sparsify(ca.horzcat(by_a, by_z, ca.jacobian(alpha, lam)))
    functions = {
        "rhs": ([t, y, p], [ca.vertcat(v, acceleration, zdot)]),
        "project": ([t, y, p], [ca.vertcat(moved, slower, z), residual]),
        "events": ([t, y, p], [ca.vertcat(*([g] if g is not None else []))]),
        "dae": ([t, Y, p], [F]),
        "dae_jacobian": ([t, Y, p], [ca.sparsify(ca.jacobian(F, Y))]),
        "alpha_residual": ([t, y, x, rate, p, c], [alpha]),
        "alpha_jacobian": ([t, y, x, rate, p, c], [newton]),
        "retract": ([q, step], [q + step]),
    }
    sparse = ("dae_jacobian", "alpha_jacobian")

    def symbolic(name):
        arguments, results = functions[name]
        return ca.Function(name, arguments, results if name in sparse else [ca.densify(r) for r in results])

    inputs = inputs or {}
    return Program(
        layout=StateLayout(q.numel(), v.numel(), z.numel(), phi.numel()),
        build=lambda name: compile_function(symbolic(name)),
        parameters={f"p{i}": 1.0 for i in range(p.numel() - len(inputs))},
        inputs=inputs,
        channels=(),
        events=tuple(events),
        unweighted=np.array(unweighted, dtype=bool),
        constrained=bool(single.numel()) if constrained is None else constrained,
        symbolic=symbolic,
    )


def oscillator(**more):
    """x'' = -x as q and v: from (1, 0) the solution is (cos t, -sin t)."""
    q, v = ca.SX.sym("q", 1), ca.SX.sym("v", 1)
    return mechanical(mass=ca.SX.eye(1), force=-q, q=q, v=v, **more)


def first_order(rhs, n, **more):
    """z' = rhs(t, z, p)."""
    t, z, p = ca.SX.sym("t"), ca.SX.sym("z", n), more.pop("p", ca.SX.sym("p", 0))
    if callable(more.get("g")):
        more["g"] = more["g"](t, z)
    none = ca.SX(0, 1)
    return mechanical(mass=ca.SX(0, 0), force=none, q=none, v=none, z=z, zdot=rhs(t, z, p), t=t, p=p, **more)


def pendulum(copies=1, links=1, **more):
    """A chain of point masses (1 kg) on massless rods (1 m) in Cartesian coordinates, gravity 9.81 along -y."""
    q, v = ca.SX.sym("q", 2 * links), ca.SX.sym("v", 2 * links)
    points = [ca.SX.zeros(2), *(q[2 * i : 2 * i + 2] for i in range(links))]
    rods = ca.vertcat(*((ca.sumsqr(b - a) - 1) / 2 for a, b in zip(points, points[1:], strict=False)))
    weight = ca.SX(ca.DM([0, -9.81] * links))
    return mechanical(mass=ca.SX.eye(2 * links), force=weight, q=q, v=v, position=rods, copies=copies, **more)


HORIZONTAL = np.array([1.0, 0.0, 0.0, 0.0])
"""The single pendulum at rest, stretched along x."""


def pendulum_angle(t):
    """Angle from the downward vertical of the pendulum released from the horizontal, by Jacobi's functions."""
    from scipy.special import ellipj, ellipk

    k = np.sin(np.pi / 4)
    sn, _, _, _ = ellipj(ellipk(k**2) - np.sqrt(9.81) * np.asarray(t), k**2)
    return 2 * np.arcsin(k * sn)

"""Slider-cranks as one equation of motion, derived by hand: M(θ) θ̈ + ½ M′(θ) θ̇² = Q(θ, θ̇)."""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp


@dataclass(frozen=True)
class SliderCrank:
    """Crank r and rod l [m], masses [kg] and inertias [kg·m²] at mid-length, torque on the crank, dampers, gravity."""

    r: float
    l: float
    masses: tuple[float, float, float]
    inertias: tuple[float, float]
    torque: float
    gravity: float = 0.0
    crank_damping: float = 0.0
    slide_damping: float = 0.0

    def tilt(self, theta):
        """Angle of the rod; its far end lies on the x axis."""
        return -np.arcsin(self.r * np.sin(theta) / self.l)

    def slide(self, theta):
        return self.r * np.cos(theta) + self.l * np.cos(self.tilt(theta))

    def mass(self, theta):
        """M(θ); also for complex θ, so that its derivative can be taken by a complex step."""
        r, l, (m1, m2, m3), (J1, J2) = self.r, self.l, self.masses, self.inertias
        c, s, tilt = np.cos(theta), np.sin(theta), self.tilt(theta)
        turn = -r * c / (l * np.cos(tilt))  # dtilt/dθ
        rod = (-r * s - l / 2 * np.sin(tilt) * turn) ** 2 + (r * c + l / 2 * np.cos(tilt) * turn) ** 2
        piston = -r * s - l * np.sin(tilt) * turn
        return m1 * r**2 / 4 + J1 + m2 * rod + J2 * turn**2 + m3 * piston**2

    def slide_rate(self, theta):
        """dx/dθ of the piston."""
        return -self.r * np.sin(theta) + self.r * np.cos(theta) * np.tan(self.tilt(theta))

    def acceleration(self, theta, rate):
        derivative = np.imag(self.mass(theta + 1e-30j)) / 1e-30
        m1, m2, _ = self.masses
        weight = -self.gravity * self.r * np.cos(theta) * (m1 + m2) / 2  # crank and rod rise by r sin θ / 2
        lost = (self.crank_damping + self.slide_damping * self.slide_rate(theta) ** 2) * rate
        return (self.torque + weight - lost - derivative * rate**2 / 2) / self.mass(theta)

    def solve(self, theta: float, times: np.ndarray) -> np.ndarray:
        """(θ, θ̇) at the times, from rest at θ; shape (2, samples)."""
        run = solve_ivp(
            lambda t, y: (y[1], self.acceleration(*y)),
            (0, times[-1]),
            (theta, 0.0),
            "DOP853",
            times,
            rtol=1e-12,
            atol=1e-13,
        )
        assert run.success
        return run.y

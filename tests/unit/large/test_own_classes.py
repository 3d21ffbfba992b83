"""Classes and functions of the user's in kernels: alike where they do alike, and never else."""

from __future__ import annotations

import casadi as ca
import pytest

import linkwork as lw
from linkwork.large import fits
from linkwork.large.program import Large
from linkwork.large.slots import Unfit
from tests.unit.large.test_kernels import check

PUSHES = {"f0": 1.0, "f1": 2.0, "f2": 2.0, "f3": 5.0}


class Own(lw.Force):
    """A push along x; what it is given is not declared."""

    def __init__(self, name, at, number):
        super().__init__(name)
        self.at, self.number = at, number

    def push(self, frame):
        return self.number * frame.v[1]

    def loads(self, view):
        return [lw.Load(self.at, ca.vertcat(self.push(view.frame(self.at)), 0, 0), ca.SX.zeros(3))]


class Asking(Own):
    """Asks what its number is."""

    def push(self, frame):
        return self.number * frame.p[0] if self.number > 1 else frame.p[1]


class Silent(Own):
    """Asks in a way that no symbol minds."""

    def push(self, frame):
        large = isinstance(self.number, float) and self.number > 1
        return (3.0 if large else 1.0) * frame.p[0] * self.number


class Placing(Silent):
    """Asks so where it acts."""

    def loads(self, view):
        large = isinstance(self.number, float) and self.number > 1
        push = ca.vertcat(self.number, 0, 0)
        return [lw.Load(self.at if large else self.at.body.at(0, 0.3), push, ca.SX.zeros(3))]


class Telling(Own):
    """Asks so what it is to record."""

    def channels(self, view):
        large = isinstance(self.number, float) and self.number > 1
        return {"much" if large else "little": ("N·s/m", 1.0 * self.number)}


class Counting(Own):
    """Takes its number for a count."""

    def push(self, frame):
        return sum(frame.p[0] ** k for k in range(int(self.number)))


class Keeping(Own):
    """Keeps something that cannot be seen into."""

    def __init__(self, name, at, number):
        super().__init__(name, at, 1.0)
        self.secret = type("Secret", (), {"size": number})()

    def push(self, frame):
        return self.secret.size * frame.p[0]


class Slotted(Own):
    """Holds its number where nobody looks."""

    __slots__ = ("hidden",)

    def __init__(self, name, at, number):
        super().__init__(name, at, 1.0)
        object.__setattr__(self, "hidden", number)

    def push(self, frame):
        return self.hidden * frame.p[0]


def pushed(made, numbers=(0.5, 2.0, 2.0, 3.0)) -> lw.Model:
    m = lw.Model("pushed", gravity=(0, -9.81))
    for k, number in enumerate(numbers):
        b = m.body(f"b{k}", mass=1, inertia=0.1)
        m.revolute(f"j{k}", m.ground.at(k, 0), b.at(-0.5, 0)).angle.start(0.3, rate=0.4)
        m.add(made(f"f{k}", b.at(0.2, 0.1), number))
    return m


def kinds(m: lw.Model, letter: str = "f") -> list[list[str]]:
    groups = [[c.name for c in g.members] for g in Large(m, None, {}).tables.groups]
    return [names for names in groups if names[0].startswith(letter)]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (Own, [["f0", "f1", "f2", "f3"]]),
        (Asking, [["f0"], ["f1", "f2"], ["f3"]]),
        (Silent, [["f0"], ["f1", "f2"], ["f3"]]),
        (Placing, [["f0"], ["f1", "f2"], ["f3"]]),
        (Telling, [["f0"], ["f1", "f2"], ["f3"]]),
        (Counting, [["f0"], ["f1", "f2"], ["f3"]]),
        (Keeping, [["f0"], ["f1"], ["f2"], ["f3"]]),
        (Slotted, [["f0"], ["f1"], ["f2"], ["f3"]]),
    ],
)
def test_numbers_of_own_classes(made, expected):
    """One kernel where numbers are but numbers; else one for each that is equal."""
    m = pushed(made)
    assert kinds(m) == expected
    check(m)


class Named(Own):
    """Looks its number up by its name."""

    def push(self, frame):
        return PUSHES.get(self.name, 7.0) * frame.p[0]


class Weighing(Own):
    """Asks for the mass of its body."""

    def push(self, frame):
        return self.at.body.mass


class Placed(Own):
    """Asks where its body starts."""

    def push(self, frame):
        return frame.p[0] - self.at.at_start.p[0]


@pytest.mark.parametrize("made", [Named, Weighing, Placed])
def test_what_hangs_on_more_than_what_it_holds_has_no_kernels(made):
    with pytest.raises(Unfit) as found:
        fits.large_of(pushed(made), None)
    assert found.value.component == "f0"


def test_functions_that_are_made_in_a_loop_share_a_kernel():
    """All have taken the same variable, which the last turn of the loop has left as it is."""
    m = pushed(Own)
    for k in range(4):
        stiffness = 5.0 + k
        m[f"j{k}"].angle.law(lw.Effort(lambda x, c=0.1 * k + 0.1: -stiffness * x - c * x**3))  # noqa: B023
    assert kinds(m, "j") == [["j0", "j1", "j2", "j3"]]
    check(m)


def laws_of(stiffness: float) -> lw.Law:
    return lw.Effort(lambda x, v, c=0.3: -stiffness * x - c * v)


def test_functions_that_hold_numbers_of_their_own():
    m = pushed(Own)
    for k in range(4):
        m[f"j{k}"].angle.law(laws_of(5.0 + k))
    assert kinds(m, "j") == [["j0", "j1", "j2", "j3"]]
    check(m)


def choosing(limit: float) -> lw.Law:
    return lw.Effort(lambda x: -x if limit > 1 else -3 * x)


def test_functions_that_ask_for_their_numbers():
    m = pushed(Own)
    for k in range(4):
        m[f"j{k}"].angle.law(choosing(0.5 * k + 0.5))
    assert kinds(m, "j") == [["j0"], ["j1"], ["j2"], ["j3"]]
    check(m)


def test_a_class_that_fails_names_itself():
    class Failing(Own):
        def push(self, frame):
            raise ValueError("no")

    with pytest.raises(lw.ModelError, match="no") as found:
        pushed(Failing).simulate(0.1, kernels=True)
    assert found.value.component == "f0"

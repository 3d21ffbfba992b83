"""What interrupts a run, how it knows its own events, and that another kind needs nothing but itself."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.errors import IntegrationError, LinkworkError
from linkwork.examples import slider_crank
from linkwork.simulation import interruptions
from linkwork.simulation.interruptions import Interruption, Sides


@pytest.mark.parametrize("loops", ["multipliers", "partition"])
def test_a_stop_event_of_the_user_may_be_called_partition(loops):
    m = slider_crank.model()
    m.event("partition", lambda x: x - 0.5, m["O"].angle, direction=1, action="stop")
    r = m.simulate(5, loops=loops)
    assert r["O.angle"][-1] == pytest.approx(0.5, abs=1e-8)
    assert r.events[-1] == (pytest.approx(r.t[-1]), "partition")


class Kick(Interruption):
    """Gives the first speed 1 m/s more, once, at 0.25 s."""

    at = 0.25
    started = looked = 0
    finished = False
    sides = Sides.BOTH

    @classmethod
    def of(cls, setting):
        return cls()

    def begin(self, now):
        type(self).started += 1

    def next_time(self, now):
        return self.at if now.t < self.at else np.inf

    def resume(self, now, part):
        now.y = now.y.copy()
        now.y[now.ready.program.layout.q] += 1.0
        now.notes.append((now.t, "kick"))
        return self.sides

    def finish(self, path):
        type(self).finished = True


class Bystander(Kick):
    """Never stops anything."""

    def next_time(self, now):
        return np.inf

    def look_again(self, now):
        type(self).looked += 1


def sliding() -> lw.Model:
    m = lw.Model("sliding")
    body = m.body("body", mass=1, inertia=1)
    m.prismatic("rail", m.ground.at(0, 0), body.at(0, 0))
    return m


@pytest.mark.filterwarnings("ignore:.*energy balance:linkwork.LinkworkWarning")  # the watch sees the kick
@pytest.mark.parametrize(("sides", "rows"), [(Sides.BOTH, [0.0, 1.0]), (Sides.AFTER, [1.0]), (Sides.ONE, [0.0])])
@pytest.mark.parametrize("at", [0.25, 0.253])
def test_another_kind_of_interruption_is_one_class(monkeypatch, sides, rows, at):
    kick = type("Kick", (Kick,), {"sides": sides, "at": at})
    bystander = type("Bystander", (Bystander,), {})
    monkeypatch.setattr(interruptions, "KINDS", [*interruptions.KINDS, kick, bystander])
    r = sliding().simulate(1, output=0.01)
    assert (kick.started, kick.finished) == (1, True)
    assert bystander.looked == (0 if sides is Sides.ONE else 1)
    assert r.events == [(at, "kick")]
    assert r["body.x"][-1] == pytest.approx(1 - at)
    recorded = r["body.vx"][r.t == at].tolist()
    wanted = rows if at == 0.25 or sides is Sides.BOTH else []
    assert recorded == pytest.approx(wanted)
    assert np.all(np.diff(r.t) >= 0)


def test_what_goes_wrong_between_two_parts_ends_the_run_with_what_there_is(monkeypatch):
    def fail(self, now, part):
        raise LinkworkError("the kick missed.", component="foot")

    monkeypatch.setattr(interruptions, "KINDS", [*interruptions.KINDS, type("Kick", (Kick,), {"resume": fail})])
    with pytest.raises(IntegrationError, match="foot.*missed") as told:
        sliding().simulate(1, output=0.01)
    assert told.value.partial.t[-1] == pytest.approx(0.25)

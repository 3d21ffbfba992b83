"""What hangs on one branch alone carries nothing, exactly; a second branch back, and it does."""

import linkwork as lw


def loop_on_a_branch(back: float | None) -> float:
    """A loop of 1e5 A behind 600 Ω to earth [V]; back: a second resistance [Ω] to earth from elsewhere."""
    m = lw.Model("loop")
    source, thin, thick = m.voltage_source("V", 0.3), m.resistor("a", resistance=3e-6), m.resistor("b", resistance=0.7)
    more, lead, zero = m.current_source("I", 0.1), m.resistor("lead", resistance=600.0), m.earth("zero")
    m.connect(source.p, thin.p, thick.p, more.p)
    ground = [lead.n, zero.p]
    if back is not None:
        second = m.resistor("back", resistance=back)
        m.connect(second.p, thin.n, thick.n)
        between = m.resistor("between", resistance=1e-6)
        m.connect(second.p, between.p)
        m.connect(between.n, source.n, more.n, lead.p)
        ground.append(second.n)
    else:
        m.connect(source.n, thin.n, thick.n, more.n, lead.p)
    m.connect(*ground)
    r = m.simulate(0.1, output=0.1)
    return float(r["lead.voltage"][-1])


def test_nothing_flows_through_what_hangs_on_one_branch():
    assert loop_on_a_branch(None) == 0.0


def test_something_does_where_there_is_a_way_back():
    assert abs(loop_on_a_branch(600.0)) > 1e-3

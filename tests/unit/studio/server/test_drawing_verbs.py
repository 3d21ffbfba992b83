"""Drawing and dragging as a page asks for them: each is one step of undo, and what is seen is what the file says."""

import base64
import tomllib

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.server.session import Session
from linkwork.studio.server.settings import Settings
from linkwork.studio.server.verbs import perform


@pytest.fixture
def session(tmp_path) -> Session:
    return Session(Settings(folder=tmp_path), "tab")


def ask(session, verb, **given):
    return perform(session, verb, given)


def draw(session, tool, *ends, **values):
    def end(given):
        return {"pin": given} if isinstance(given, str) else {"x": given[0], "y": given[1]}

    return ask(session, "draw", tool=tool, ends=[end(e) for e in ends], values=values)["made"]


def four_bar(session):
    """Crank 0.2 m, coupler 0.6 m, lever 0.4 m on 0.6 m."""
    draw(session, "pivot", (0, 0))
    draw(session, "pivot", (0.6, 0))
    draw(session, "link", "A", (0, 0.2))
    draw(session, "link", "C", (0.6, 0.4))
    draw(session, "link", "B", "D")


def numbers(text):
    return np.frombuffer(base64.b64decode(text), dtype="<f8")


def test_drawing_from_nothing(session):
    draw(session, "pivot", (0, 0))
    state = session.state()
    assert state["problem"] is None or "body" in state["problem"]["message"]
    seen = ask(session, "sketch")
    assert seen["planar"]
    assert [point["name"] for point in seen["points"]] == ["A"]
    ask(session, "undo")
    four_bar(session)
    assert ask(session, "mobility") == {"mobility": 1, "redundant": []}
    assert [body["name"] for body in ask(session, "sketch")["bodies"]] == ["link1", "link2", "link3"]
    for _ in range(5):
        ask(session, "undo")
    assert ask(session, "sketch")["bodies"] == []
    for _ in range(5):
        ask(session, "redo")
    draw(session, "motor", "A", speed="30 rpm")
    draw(session, "point", "D")
    run = ask(session, "run", duration=1.0)
    assert run["status"] == "finished"
    found = ask(session, "channels", run=run["run"], names=["A.angle.rate"])
    assert numbers(found["values"]["A.angle.rate"]) == pytest.approx(np.pi)


def test_values_are_typed_with_units(session):
    four_bar(session)
    draw(session, "spring", (0.3, 0.8), "D", stiffness="2 kN/m", damping="3")
    part = tomllib.loads(session.document.text)["component"]["spring1"]
    assert (part["stiffness"], part["damping"]) == (2000.0, 3.0)
    ask(session, "resize", body="link2", pins=["C", "D"], length="650 mm")
    view = {body["name"]: body for body in ask(session, "sketch")["bodies"]}
    (x1, _), (x2, _) = view["link2"]["corners"]
    assert abs(x2 - x1) == pytest.approx(0.65, abs=1e-12)
    stated = tomllib.loads(session.document.text)["component"]["link2"]["start"]["position"]
    assert stated == pytest.approx(view["link2"]["pose"][:2], abs=1e-9)
    with pytest.raises(lw.AssemblyError, match="cannot close"):
        ask(session, "resize", body="link2", pins=["C", "D"], length="6.5 m")
    with pytest.raises(lw.LinkworkError, match="kg"):
        ask(session, "resize", body="link2", pins=["C", "D"], length="3 kg")
    with pytest.raises(lw.LinkworkError, match="no number"):
        draw(session, "spring", (0.3, 0.8), "D", stiffness="stiff")


def test_dragging_is_one_step_of_undo(session):
    four_bar(session)
    before = session.document.text
    place = session.document.place
    told = ask(session, "grab", body="link1", point=[0.0, 0.2])
    assert told == {"freedoms": 1, "driven": []}
    for angle in np.linspace(np.pi / 2, 0.6, 12):
        seen = ask(session, "drag", target=[0.2 * np.cos(angle), 0.2 * np.sin(angle)])
    assert seen["reached"]
    assert seen["poses"]["link1"][2] == pytest.approx(0.6, abs=1e-4)
    assert session.document.text == before
    assert ask(session, "release")["moved"]
    assert session.document.place == place + 1
    poses = {body["name"]: body["pose"] for body in ask(session, "sketch")["bodies"]}
    for name, pose in seen["poses"].items():
        assert poses[name] == pytest.approx(pose, abs=1e-9)
    ask(session, "undo")
    assert session.document.text == before
    ask(session, "grab", body="link1", point=[0.0, 0.2])
    ask(session, "drag", target=[0.2, 0.0])
    assert not ask(session, "release", cancel=True)["moved"]
    assert session.document.text == before
    with pytest.raises(lw.LinkworkError, match="nothing is held"):
        ask(session, "drag", target=[0.2, 0.0])


def test_start_values_of_joints_follow(session):
    ask(session, "open", example="slider_crank")
    ask(session, "grab", body="crank", point=[0.1, 0.03])
    for _ in range(6):
        seen = ask(session, "drag", target=[0.0, 0.1])
    ask(session, "release")
    told = tomllib.loads(session.document.text)["component"]["O"]["free"]["angle"]["start"]
    assert told == pytest.approx(seen["poses"]["crank"][2], abs=1e-12)
    assert told > 1.0
    assert session.mechanism.start["O.angle"][0] == pytest.approx(told)


def test_generalised_coordinates_follow(session):
    ask(session, "open", example="double_pendulum_positions")
    bodies = ask(session, "grab", body=_first_body(session), point=[0.0, 0.0])
    assert bodies["freedoms"] == 2
    for _ in range(4):
        seen = ask(session, "drag", target=[0.3, -0.5])
    assert ask(session, "release")["moved"]
    start = session.mechanism.start
    for name, pose in seen["poses"].items():
        assert [start[f"{name}.{axis}"][0] for axis in "xyz"] == pytest.approx(pose[:3], abs=1e-9)


def _first_body(session):
    return next(entry["name"] for entry in session.state()["components"] if entry["family"] == "body")


def test_it_is_shown_as_python(session):
    four_bar(session)
    text = ask(session, "python")["text"]
    told: dict = {}
    exec(text, told)  # what Linkwork has written itself
    made = next(x for x in told.values() if isinstance(x, lw.Model))
    assert sorted(made.components) == sorted(session.model.components)


def test_texts_that_cannot_be_drawn(session):
    for text in ("component = 3", "[component]\nA = 3", '[component.b]\nmass = 1\nstart = "x"'):
        ask(session, "replace", text=f"linkwork = 1\n{text}\n" if "=" in text else text)
        with pytest.raises(lw.LinkworkError, match="cannot be drawn|no TOML"):
            ask(session, "sketch")


def test_a_driven_crank_says_that_it_goes_back(session):
    ask(session, "open", example="four_bar")
    assert ask(session, "grab", body="crank", point=[0.2, 0.0])["driven"] == ["A.angle"]
    ask(session, "drag", target=[0.0, 0.2])
    assert "A.angle" in ask(session, "release")["notes"][0]
    curves = ask(session, "trace")["curves"]
    assert [curve["name"] for curve in curves] == ["coupler_point"]
    assert curves[0]["closed"]
    assert numbers(curves[0]["x"]).size > 50
    more = ask(session, "trace", body="coupler", point=[0.0, 0.0])["curves"]
    assert [curve["body"] for curve in more] == ["coupler", "coupler"]


def test_a_rotary_damper_is_a_law_of_a_pin(session):
    four_bar(session)
    draw(session, "rotary", "A", rotary="0.5 N·m·s/rad")
    draw(session, "rotary", "D", rotary="200 mN·m·s")
    draw(session, "motor", "A", torque="1 N·m")
    draw(session, "rotary", "A")
    laws = {name: session.document.data()["component"][name]["free"]["angle"]["laws"] for name in "AD"}
    assert laws == {"A": ["Effort(1)", "Damper(0.1)"], "D": ["Damper(0.2)"]}
    lost = session.model.simulate(0.5)["energy.dissipated"]
    assert lost[-1] > 0
    with pytest.raises(lw.LinkworkError, match="N·s/m"):
        draw(session, "rotary", "A", rotary="3 N·s/m")


def test_pivots_alone_are_a_beginning_and_no_mistake(session):
    ask(session, "draw", tool="pivot", ends=[{"x": 0, "y": 0}])
    state = ask(session, "state")
    assert state["still"] and not state["empty"] and state["problem"] is None
    assert [(m["level"], "link" in m["text"]) for m in state["check"]["messages"]] == [("note", True)]
    ask(session, "draw", tool="link", ends=[{"x": 0, "y": 0}, {"x": 0.2, "y": 0}])
    assert not ask(session, "state")["still"]


def test_moving_and_erasing(session):
    four_bar(session)
    ask(session, "move_pin", pin="D", to=[0.65, 0.4])
    assert session.mechanism.check["mobility"] == 1
    assert ask(session, "erase", names=["link2"])["removed"] == ["link2"]
    assert session.mechanism.check["mobility"] == 2
    ask(session, "open", example="slider_crank_spatial")
    assert ask(session, "sketch") == {"planar": False}


@pytest.mark.parametrize(
    ("verb", "given", "said"),
    [
        ("draw", {"tool": "wheel", "ends": []}, "tool"),
        ("draw", {"tool": "link", "ends": [{"x": 0, "y": 0}]}, "1 places"),
        ("draw", {"tool": "pivot", "ends": [{"x": 1e400, "y": 0}]}, "finite"),
        ("draw", {"tool": "pivot", "ends": [{"x": "a"}]}, "x and y"),
        ("draw", {"tool": "motor", "ends": [{"x": 0, "y": 0}]}, "no pin"),
        ("draw", {"tool": "rotary", "ends": [{"x": 0, "y": 0}]}, "no pin"),
        ("draw", {"tool": "link", "ends": [{"pin": "Q"}, {"x": 0, "y": 0}]}, "Q"),
        ("move_pin", {"pin": "Q", "to": [0, 0]}, "Q"),
        ("erase", {"names": ["Q"]}, "Q"),
        ("grab", {"body": "Q", "point": [0, 0]}, "body"),
        ("trace", {}, "body"),
    ],
)
def test_nonsense_is_refused(session, verb, given, said):
    with pytest.raises(lw.LinkworkError, match=said):
        ask(session, verb, **given)

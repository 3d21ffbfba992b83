"""Edits of the document, each one step of undo; what cannot be loaded keeps its message and the picture before it."""

from __future__ import annotations

import tomllib

import pytest

from linkwork.core.errors import LinkworkError, UnknownName


def data(ask):
    return tomllib.loads(ask.session.document.text)


def test_a_new_value_is_in_the_model_and_in_the_state_that_is_pushed(pendulum):
    answer = pendulum("set", name="bar", argument="mass", value="1500 g")
    assert answer["problem"] is None and float(pendulum.session.model["bar"].mass) == 1.5
    event = pendulum.events[-1]
    assert event["event"] == "state" and event["version"] == answer["version"] and "mass = 1.5" in event["text"]
    pendulum("undo")
    assert float(pendulum.session.model["bar"].mass) == 2.0
    pendulum("redo")
    assert float(pendulum.session.model["bar"].mass) == 1.5


def test_coordinates_and_starts_are_set_by_their_paths(pendulum):
    pendulum("set", name="O", argument="free.angle.start", value="30 deg")
    pendulum("set", name="O", argument="free.angle.laws", value="Spring(k), Damper(0.1)")
    pendulum("set", name="bar", argument="start.position", value="[0.5, 0]")
    told = data(pendulum)["component"]
    assert told["O"]["free"]["angle"]["start"] == pytest.approx(0.5235987755982988)
    assert told["O"]["free"]["angle"]["laws"] == ["Spring(k)", "Damper(0.1)"]
    assert told["bar"]["start"] == {"position": [0.5, 0]}
    for word in ("start", "laws"):
        pendulum("set", name="O", argument=f"free.angle.{word}", value=None)
    assert "free" not in data(pendulum)["component"]["O"]
    assert pendulum.session.mechanism.problem is None


def test_the_model_itself_and_parameters_can_be_set(pendulum):
    pendulum("set", name="model", argument="gravity", value=[0, -1.62])
    pendulum("set", name="k", argument="value", value="5 N·m/rad")
    assert data(pendulum)["model"]["gravity"] == [0, -1.62] and pendulum.session.parameters == {"k": 5.0}


def test_parameters_do_not_cost_a_new_model(pendulum):
    before = pendulum.session.model
    pendulum("set", name="k", argument="value", value=4.0)
    assert pendulum.session.model is before and pendulum.session.parameters == {"k": 4.0}
    pendulum("set", name="bar", argument="mass", value=3.0)
    assert pendulum.session.model is not before
    pendulum("set", name="k", argument="unit", value="N·m")
    assert pendulum.session.mechanism.problem is None


@pytest.mark.parametrize(
    ("name", "argument", "value", "says"),
    [("bar", "mass", "2*", "ends too early"), ("bar", "mass", -1, "mass"), ("O", "second", "baar.at(0, 0)", "baar")],
)
def test_a_broken_model_names_line_and_component_and_lives_on(pendulum, name, argument, value, says):
    picture = pendulum("state")["scene"]
    pendulum("set", name=name, argument=argument, value=value)
    state = pendulum("state")
    problem = state["problem"]
    assert says in problem["message"] and problem["component"] == name
    assert state["text"].splitlines()[problem["line"] - 1].startswith((f"{argument} =", f"[component.{name}]"))
    assert state["scene"] == picture and state["stale"] and [c["name"] for c in state["components"]][:2] == ["k", "bar"]
    with pytest.raises(LinkworkError, match=says):
        pendulum("run", duration=0.1)
    pendulum("undo")
    assert pendulum("state")["problem"] is None and not pendulum("state")["stale"]


def test_a_model_that_does_not_assemble_is_told_by_the_check(pendulum):
    pendulum("add", kind="fixed", name="F", arguments={"first": "ground.at(3, 3)", "second": "bar.at(0, 0)"})
    check = pendulum("state")["check"]
    assert not check["ok"]
    wrong = [message for message in check["messages"] if message["level"] == "error"]
    assert wrong and set(wrong[0]["components"]) & {"O", "F"}


def test_a_body_goes_with_all_that_hangs_on_it(pendulum):
    pendulum("add", kind="spring", name="S", arguments={"a": "ground", "b": "bar.at(0.5, 0)", "stiffness": 10})
    pendulum("add", kind="body", name="other", arguments={"mass": 1, "inertia": 1})
    answer = pendulum("remove", names=["bar"])
    assert set(answer["removed"]) == {"bar", "O", "S"} and list(data(pendulum)["component"]) == ["other"]
    pendulum("undo")
    assert list(data(pendulum)["component"]) == ["bar", "O", "S", "other"]


def test_a_name_is_changed_wherever_it_is_meant_and_nowhere_else(ask):
    ask("open", example="slider-crank")
    ask("rename", name="crank", to="hand-wheel")
    ask("rename", name="torque", to="sin")
    told = data(ask)
    assert told["component"]["O"]["second"] == "`hand-wheel`.at(-0.1, 0)"
    assert told["component"]["A"]["first"] == "`hand-wheel`.at(0.1, 0)"
    assert told["component"]["O"]["free"]["angle"]["laws"] == ["Effort(`sin`)", "Damper(2)"]
    assert list(told["component"])[0] == "hand-wheel" and list(told["parameter"]) == ["sin"]
    assert ask.session.mechanism.problem is None and "hand-wheel" in ask.session.model.components
    with pytest.raises(LinkworkError, match="taken"):
        ask("rename", name="rod", to="piston")


def test_words_that_are_no_expressions_keep_their_meaning(pendulum):
    pendulum("add", kind="body", name="world", arguments={"mass": 1, "inertia": 1})
    force = {"at": "world.at(0, 0)", "vector": [1, 0], "frame": "world"}
    pendulum("add", kind="force", name="F", arguments=force)
    pendulum("rename", name="world", to="earth1")
    told = data(pendulum)["component"]["F"]
    assert told["frame"] == "world" and told["at"] == "earth1.at(0, 0)"


def test_several_changes_are_one_step_and_all_or_nothing(pendulum):
    before = pendulum.session.document.text
    steps = [
        {"verb": "add", "kind": "body", "name": "arm", "arguments": {"mass": 1, "inertia": 0.1}},
        {"verb": "add", "kind": "revolute", "arguments": {"first": "bar.at(0.5, 0)", "second": "arm.at(-0.2, 0)"}},
        {"verb": "set", "name": "arm", "argument": "mass", "value": "2 kg"},
    ]
    answer = pendulum("batch", steps=steps)
    assert answer["answers"][:2] == ["arm", "revolute1"] and answer["problem"] is None
    assert pendulum.session.mechanism.check["mobility"] == 2
    pendulum("undo")
    assert pendulum.session.document.text == before
    with pytest.raises(UnknownName):
        pendulum("batch", steps=[*steps, {"verb": "set", "name": "nobody", "argument": "mass", "value": 1}])
    with pytest.raises(LinkworkError):
        pendulum("batch", steps=[{"verb": "undo"}])
    assert pendulum.session.document.text == before


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        ("set", {"name": "bar", "argument": "maas", "value": 1}),
        ("set", {"name": "nobody", "argument": "mass", "value": 1}),
        ("set", {"name": "bar", "argument": "mass.kg", "value": 1}),
        ("add", {"kind": "flux_capacitor"}),
        ("add", {"kind": "body", "name": "O"}),
        ("add", {"kind": "body", "name": "a b"}),
        ("add", {"kind": "ground"}),
        ("remove", {"names": ["nobody"]}),
        ("rename", {"name": "bar", "to": "ground"}),
        ("component", {"name": "nobody"}),
        ("set", {"name": 3, "argument": "mass", "value": 1}),
        ("set", {"name": "bar", "argument": "mass"}),
        ("set", {"name": "bar", "argument": "mass", "value": 1, "more": 2}),
        ("remove", {"names": "bar"}),
        ("remove", {"names": [3]}),
        ("batch", {"steps": [3]}),
        ("nothing", {}),
        ("__init__", {}),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(pendulum, verb, given):
    before = pendulum.session.document.text
    with pytest.raises(LinkworkError):
        pendulum(verb, **given)
    assert pendulum.session.document.text == before


def test_a_text_that_is_no_toml_can_be_written_and_taken_back(pendulum):
    pendulum("replace", text="][")
    state = pendulum("state")
    assert "TOML" in state["problem"]["message"] and state["components"] == []
    with pytest.raises(LinkworkError, match="TOML"):
        pendulum("set", name="bar", argument="mass", value=1)
    pendulum("undo")
    assert pendulum("state")["problem"] is None

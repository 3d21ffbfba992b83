"""Edits keep the comments of a text, or write all anew where that cannot be verified; they never say anything else."""

from __future__ import annotations

import copy
import tomllib

import pytest

from linkwork.studio.server.patching import edited

TEXT = """\
# my pendulum
linkwork = 1

[model]
name = "pendulum"  # the name
gravity = [0, -9.81]

[parameter]
k = {value = 3.0, unit = "N·m/rad"}  # a spring

[component.bar]  # the bar
type = "body"
mass = 2.0  # kg
inertia = 0.1

# the pin
[component."O#1"]
type = "revolute"
first = "ground.at(0, 0)"
second = "bar.at(-0.5, 0)"

[component."O#1".free.angle]
start = 0.3
laws = [
    "Spring(k)",  # as above
]
"""


def changed(path, value, *, gone=False):
    data = copy.deepcopy(tomllib.loads(TEXT))
    *above, last = path
    holder = data
    for key in above:
        holder = holder[key]
    if gone:
        del holder[last]
    else:
        holder[last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "kept"),
    [
        (("component", "bar", "mass"), 3, 7),
        (("component", "bar", "mass"), "2*k", 7),
        (("parameter", "k", "value"), 4.5, 7),
        (("model", "gravity"), [0, -1.62], 7),
        (("model", "name"), 'a "b" # c', 7),
        (("component", "O#1", "free", "angle", "start"), 0.5, 7),
        (("component", "O#1", "free", "angle", "laws"), ["Damper(2)"], 6),
        (("component", "O#1", "free", "angle", "rate"), 1.0, 7),
        (("component", "arm"), {"type": "body", "mass": 1, "inertia": 2}, 7),
        (("component", "bar", "shapes"), ["shapes.Sphere(0.1)"], 7),
    ],
)
def test_a_change_is_made_where_it_stands(path, value, kept):
    data = changed(path, value)
    text = edited(TEXT, data)
    assert tomllib.loads(text) == data and list(tomllib.loads(text)["component"]) == list(data["component"])
    comments = ["my pendulum", "the name", "a spring", "the bar", "kg", "the pin", "as above"]
    assert sum(f"# {word}" in text for word in comments) == kept


@pytest.mark.parametrize(
    "path",
    [("component", "O#1"), ("component", "O#1", "free", "angle", "start"), ("component", "bar", "inertia")],
)
def test_what_goes_takes_its_own_lines_along(path):
    data = changed(path, None, gone=True)
    text = edited(TEXT, data)
    assert tomllib.loads(text) == data and "# my pendulum" in text and "# kg" in text


@pytest.mark.parametrize(
    "data",
    [
        changed(("parameter", "k"), {"value": 3.0}),
        changed(("component", "bar", "start"), {"position": [0, 1]}),
        {"linkwork": 1, "model": {"name": "another"}},
    ],
)
def test_whatever_else_changes_the_text_says_it(data):
    assert tomllib.loads(edited(TEXT, data)) == data


def test_types_of_numbers_are_kept():
    data = changed(("component", "bar", "mass"), 2)
    assert tomllib.loads(edited(TEXT, data))["component"]["bar"]["mass"].__class__ is int


def test_an_edit_of_a_text_with_comments_is_one_step(ask):
    ask("open", text=TEXT.replace("O#1", "O"))
    ask("set", name="bar", argument="mass", value="1500 g")
    assert "mass = 1.5  # kg" in ask.session.document.text and ask.session.mechanism.problem is None
    ask("undo")
    assert ask.session.document.text == TEXT.replace("O#1", "O")

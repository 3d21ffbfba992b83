"""Joint reactions turned into other frames."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.program import Channel
from linkwork.core.result import Result

QUARTER = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
STRAIGHT = np.eye(3).tolist()


def make(columns: dict[str, list[float]], joint: dict) -> Result:
    data = np.array(list(columns.values()), dtype=float).T
    channels = [Channel(name) for name in columns]
    description = {"ground": "ground", "joints": {"O": joint}}
    return Result(np.arange(len(data), dtype=float), data, channels, description=description)


def planar() -> Result:
    """The crank turns by 0, then by a quarter; the force stays (1, 2) in the world."""
    columns = {
        "crank.angle": [0.0, np.pi / 2],
        "O.reaction.fx": [1.0, 1.0],
        "O.reaction.fy": [2.0, 2.0],
        "O.reaction.mz": [3.0, 3.0],
        "O.port1.fx": [-1.0, -1.0],
        "O.port1.fy": [-2.0, -2.0],
        "O.port1.mz": [-7.0, -7.0],
    }
    joint = {
        "dimension": 2,
        "first": {"body": "ground", "rotation": QUARTER, "point": [0, 0, 0]},
        "second": {"body": "crank", "rotation": STRAIGHT, "point": [-0.1, 0, 0]},
    }
    return make(columns, joint)


@pytest.mark.parametrize(
    ("frame", "fx", "fy"),
    [
        ("world", [1, 1], [2, 2]),
        ("ground", [1, 1], [2, 2]),
        ("first", [2, 2], [-1, -1]),
        ("second", [1, 2], [2, -1]),
        ("crank", [1, 2], [2, -1]),
    ],
)
def test_planar_reaction_in_each_frame(frame, fx, fy):
    wrench = planar().reaction("O", frame=frame)
    assert list(wrench) == ["fx", "fy", "mz"]
    np.testing.assert_allclose(wrench["fx"], fx, atol=1e-15)
    np.testing.assert_allclose(wrench["fy"], fy, atol=1e-15)
    np.testing.assert_allclose(wrench["mz"], 3.0)


def test_reaction_on_the_first_body_is_its_own_port():
    wrench = planar().reaction("O", on="first", frame="first")
    np.testing.assert_allclose([wrench["fx"][0], wrench["fy"][0], wrench["mz"][0]], [-2, 1, -7])


def test_spatial_reaction_follows_the_quaternion():
    """A third of a turn about (1, 1, 1) takes x to y, y to z, z to x; an unnormalised quaternion does the same."""
    columns = {f"arm.q{i}": [0.5, 1.0] for i in range(4)}
    columns |= {
        f"O.reaction.{name}": [float(i), float(i)] for i, name in enumerate(("fx", "fy", "fz", "mx", "my", "mz"))
    }
    side = {"body": "arm", "rotation": STRAIGHT, "point": [0, 0, 0]}
    r = make(columns, {"dimension": 3, "first": side, "second": side | {"rotation": QUARTER}})
    in_body = r.reaction("O", frame="arm")
    for name, expected in zip(in_body, [1, 2, 0, 4, 5, 3], strict=True):
        np.testing.assert_allclose(in_body[name], expected, atol=1e-15)
    in_joint = r.reaction("O", frame="second")
    for name, expected in zip(in_joint, [2, -1, 0, 5, -4, 3], strict=True):
        np.testing.assert_allclose(in_joint[name], expected, atol=1e-15)


def test_unknown_names_are_named():
    with pytest.raises(UnknownName, match="no joint named 'Q'"):
        planar().reaction("Q")
    with pytest.raises(UnknownName, match="Did you mean 'crank'"):
        planar().reaction("O", frame="crnk")
    with pytest.raises(LinkworkError, match="'first' or 'second'"):
        planar().reaction("O", on="third")

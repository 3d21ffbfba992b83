"""Robots that packages carry: the same accelerations as Pinocchio's and MuJoCo's on the same file."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import pytest

import linkwork as lw
from linkwork.components.joint import Joint

from ..unit.files.peers import off_mujoco, off_pinocchio, quietly
from ..unit.files.sdf_peer import off_free_bodies

TOLERANCE = 1e-9
URDF = [
    "double_pendulum_description/urdf/double_pendulum.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "kinova_description/robots/kinova.urdf",
    "z1_description/urdf/z1.urdf",
    "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "so_arm_description/urdf/so101.urdf",
    "go2_description/urdf/go2.urdf",
    "talos_data/robots/talos_left_arm.urdf",
]
MJCF = ["inverted_double_pendulum", "reacher", "half_cheetah", "hopper", "walker2d", "ant", "humanoid", "pusher"]


def carried(package: str, end: str) -> Path:
    """A file of an installed package."""
    try:
        found = [f for f in files(package) or [] if str(f).endswith(end)]
    except PackageNotFoundError:
        pytest.skip(f"the package {package} is not installed")
    if not found:
        pytest.skip(f"the package {package} does not carry {end}")
    return Path(str(found[0].locate()))


@pytest.mark.slow
@pytest.mark.parametrize("name", URDF)
def test_robots_move_as_in_pinocchio(name: str) -> None:
    pytest.importorskip("pinocchio", reason="pin is not installed")
    assert off_pinocchio(carried("example-robot-data", f"robots/{name}")) < TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("name", MJCF)
def test_scenes_move_as_in_mujoco(name: str) -> None:
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    assert off_mujoco(carried("gymnasium", f"mujoco/assets/{name}.xml")) < TOLERANCE


@pytest.mark.slow
def test_a_gripper_with_two_loops_and_a_coupling_moves_as_in_mujoco(tmp_path: Path) -> None:
    """The file has an attribute that MuJoCo's schema does not know: it is taken out for both."""
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    file = carried("robosuite", "grippers/xarm7_gripper.xml")
    import re
    import shutil

    text = re.sub(r'(<default\b[^>]*?) group="\d+"', r"\1", file.read_text("utf-8"))
    (tmp_path / "gripper.xml").write_text(text, "utf-8")
    shutil.copytree(file.parent / "meshes" / "xarm7_gripper", tmp_path / "meshes" / "xarm7_gripper")
    assert off_mujoco(tmp_path / "gripper.xml") < TOLERANCE


@pytest.mark.slow
def test_a_robot_with_four_loops_moves_as_free_bodies_held_together_in_mujoco() -> None:
    """Cassie as SDF, which neither reads: another reading of the same file, in other coordinates."""
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    file = carried("example-robot-data", "cassie_description/robots/cassie_v2.sdf")
    m = quietly(file)
    for c in (c for joint in m.of_type(Joint) for c in joint.coordinates):
        c.laws = tuple(law for law in c.laws if not isinstance(law, lw.Limits))
    m.changed()
    assert off_free_bodies(m, file) < TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("name", ["robotiq_2f85", "robotiq_2f85_v2"])
def test_grippers_with_two_loops_and_a_coupling_move_as_in_mujoco(name: str) -> None:
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    file = carried("dm-robotics-moma", f"robotiq_beta_robots/mujoco/{name}.xml")
    assert off_mujoco(file, folder=file.parents[2]) < TOLERANCE

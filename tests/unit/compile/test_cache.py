"""The object cache: what is stored comes back, and nothing on the disk can break a run."""

import hashlib
import os
import shutil
import stat
import struct
import subprocess
import sys
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from linkwork.compile import baseline, cache, cache_folder, called, llvm, makers
from linkwork.compile.native import compile_function
from linkwork.core.errors import LinkworkWarning


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    if baseline.available():
        called.functions()  # loaded once, from whatever folder it was
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def function():
    x = ca.SX.sym("x", 3)
    return ca.Function("norm", [x], [ca.sqrt(ca.dot(x, x)), ca.sin(x)])


def right(compiled):
    length, sines = compiled([3.0, 4.0, 12.0])
    return length[0] == 13 and np.allclose(sines, np.sin([3, 4, 12]), rtol=1e-15)


def stored(folder):
    (path,) = folder.glob(f"*{cache.SUFFIX}")
    return path


def test_second_time_comes_from_disk(folder, monkeypatch):
    first = compile_function(function())
    assert not first.cached and right(first)

    def forbidden(f):
        raise AssertionError("a hit must not read the instructions")

    monkeypatch.setattr("linkwork.compile.native.stream_of", forbidden)
    second = compile_function(function(), name="other")
    assert second.cached and right(second)
    assert (second.name, second.instructions, second.work_size) == ("other", first.instructions, first.work_size)


def sealed_by_another(data):
    """A file that is right in all that can be known without the user's secret."""
    payload = data[cache.HEADER.size :]
    forged = cache.HEADER.pack(cache.MAGIC, cache.FORMAT, len(payload), hashlib.sha256(payload).digest())
    return forged + payload


def without_seal(data):
    return data[: cache.HEADER.size - 32] + bytes(32) + data[cache.HEADER.size :]


def as_before_seals(data):
    payload = data[cache.HEADER.size :]
    return struct.pack("<8sIQ32s", b"LINKWORK", 1, len(payload), hashlib.sha256(payload).digest()) + payload


def spoil_byte(data):
    return data[:-5] + bytes([data[-5] ^ 1]) + data[-4:]


def other_format(data):
    magic, version, length, checksum = cache.HEADER.unpack_from(data)
    return cache.HEADER.pack(magic, version + 1, length, checksum) + data[cache.HEADER.size :]


@pytest.mark.parametrize(
    "damage",
    [
        spoil_byte,
        lambda d: d[: len(d) // 2],
        lambda d: d[:10],
        lambda d: b"",
        lambda d: b"foreign" * 99,
        other_format,
        sealed_by_another,
        without_seal,
        as_before_seals,
    ],
    ids=["corrupted", "truncated", "header cut", "empty", "foreign", "other format", "forged", "unsealed", "format 1"],
)
def test_damaged_file_is_replaced(folder, damage):
    compile_function(function())
    path = stored(folder)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    again = compile_function(function())
    assert not again.cached and right(again)
    assert compile_function(function()).cached


def test_object_of_another_function_is_not_taken(folder):
    x = ca.SX.sym("x", 3)
    other = ca.Function("norm", [x], [ca.sum1(x), ca.cos(x)])
    compile_function(other)
    theirs = stored(folder)
    compile_function(function())
    mine = next(p for p in folder.glob(f"*{cache.SUFFIX}") if p != theirs)
    mine.write_bytes(theirs.read_bytes())
    again = compile_function(function())
    assert not again.cached and right(again)


def test_another_generator_makes_another_key(monkeypatch):
    compile_function(function())
    llvm.generator.cache_clear()
    monkeypatch.setattr(llvm, "makers", lambda: "others")
    try:
        assert not compile_function(function()).cached
    finally:
        llvm.generator.cache_clear()


@pytest.mark.parametrize("name", ["baseline.py", "lowering.py", "tangent.py"])
def test_whatever_makes_code_is_in_the_key(tmp_path, name):
    """Code that calls what is not there any more has crashed: who makes it has changed since."""
    own = Path(makers.__file__).parent
    digests = []
    for change in (b"", b"", b"# another line\n"):
        folder = tmp_path / str(len(digests))
        shutil.copytree(own, folder, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / name).write_bytes((folder / name).read_bytes() + change)
        spec = spec_from_file_location("copied", folder / "makers.py")
        copied = module_from_spec(spec)
        spec.loader.exec_module(copied)
        digests.append(copied.makers())
    assert digests[0] == digests[1] != digests[2]
    assert digests[0] == makers.makers()


@pytest.mark.parametrize("off", ["off", "OFF", "0", "false", "False", "no", "No", " off "])
def test_off(folder, monkeypatch, tmp_path, off):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LINKWORK_CACHE", off)
    assert cache.directory() is None
    assert right(compile_function(function()))
    assert not compile_function(function()).cached
    assert not folder.exists() and not list(tmp_path.iterdir())


@pytest.mark.parametrize("on", ["", "1", "true", "Yes", "on"])
def test_on_is_no_name_of_a_folder(monkeypatch, on):
    monkeypatch.setenv("LINKWORK_CACHE", on)
    assert cache.directory() == cache_folder.own_folder()


def test_not_wanted(folder):
    assert right(compile_function(function(), cache=False))
    assert not folder.exists()


def test_directory_that_cannot_be_made(folder, monkeypatch):
    folder.write_text("a file where the directory should be")
    assert right(compile_function(function()))
    monkeypatch.setenv("LINKWORK_CACHE", "/dev/null/cache")
    assert right(compile_function(function()))


def test_full_disk_leaves_nothing(folder, monkeypatch):
    def full(*names, **folders):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert right(compile_function(function()))
    assert list(folder.iterdir()) == []


def test_place_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.delenv("LINKWORK_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.directory() == tmp_path / "linkwork"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.directory() == tmp_path / ".cache" / "linkwork"


def test_keys_depend_on_where_parts_are_cut():
    assert cache.key_of("ab", "c") != cache.key_of("a", "bc")


def test_trim_removes_what_was_used_longest_ago(folder):
    keys = [cache.key_of(str(i)) for i in range(6)]
    for age, key in enumerate(keys):
        cache.store(key, b"x" * 1000)
        old = time.time() - 1000 * (len(keys) - age)
        os.utime(folder / f"{key}{cache.SUFFIX}", (old, old))
    assert cache.load(keys[0]) == b"x" * 1000  # used now, so the oldest no more
    leftover, fresh = folder / "left.tmp", folder / "now.tmp"
    leftover.touch()
    fresh.touch()
    os.utime(leftover, (0, 0))
    cache.trim(folder, limit=3 * (1000 + cache.HEADER.size))
    kept = {key for key in keys if cache.load(key) is not None}
    assert kept == {keys[0], keys[4], keys[5]}
    assert not leftover.exists() and fresh.exists()


RACE = """
import casadi as ca, sys
from linkwork.compile.native import compile_function
for i in range(12):
    x = ca.SX.sym("x", 3)
    f = ca.Function("f", [x], [ca.sin(x) * i + x])
    got = compile_function(f)([1, 2, 3])[0]
    assert abs(got - f([1, 2, 3]).full().ravel()).max() < 1e-14, i
print("done")
"""


def test_two_processes_at_once(folder):
    running = [subprocess.Popen([sys.executable, "-c", RACE], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=120)[0].strip() for process in running] == ["done", "done"]
    assert len(list(folder.glob(f"*{cache.SUFFIX}"))) == 12 + 2 * baseline.available() and not list(
        folder.glob("*.tmp")
    )


posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are those of POSIX")


@pytest.fixture
def new_user(tmp_path, monkeypatch):
    """A home without a secret, and a process that knows none."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "platform", "linux")
    cached = (cache_folder.secret, cache_folder._tell, cache_folder._private)
    for known in cached:
        known.cache_clear()
    yield tmp_path / "home" / "linkwork"
    for known in cached:
        known.cache_clear()


@posix
def test_what_another_secret_sealed_is_a_miss(folder, new_user):
    compile_function(function())
    secret = new_user / "secret"
    assert len(secret.read_bytes()) == 32 and stat.S_IMODE(secret.stat().st_mode) == 0o600
    cache_folder.secret.cache_clear()
    assert compile_function(function()).cached  # another process of the same user
    secret.unlink()
    cache_folder.secret.cache_clear()
    again = compile_function(function())  # another user, who was given the folder
    assert not again.cached and right(again)


@posix
@pytest.mark.parametrize("wrong", ["seen by others", "short", "link"])
def test_a_secret_that_is_none_is_made_again(new_user, wrong, tmp_path):
    first = cache_folder.secret()
    path = new_user / "secret"
    if wrong == "seen by others":
        path.chmod(0o644)
    elif wrong == "short":
        path.write_bytes(first[:31])
    else:
        path.replace(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
    cache_folder.secret.cache_clear()
    second = cache_folder.secret()
    assert second != first and path.read_bytes() == second and not path.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_without_a_place_for_it_the_secret_lasts_as_long_as_the_process(folder, new_user):
    new_user.parent.write_text("a file where the folder should be")
    compile_function(function())
    assert compile_function(function()).cached
    cache_folder.secret.cache_clear()
    assert not compile_function(function()).cached


@posix
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_a_folder_others_can_write_is_left_alone(folder, new_user, mode):
    compile_function(function())
    folder.chmod(mode)
    before = sorted(folder.iterdir())
    with pytest.warns(LinkworkWarning, match="can be written by others.*LINKWORK_CACHE"):
        again = compile_function(function())
    assert not again.cached and right(again)  # what lies there may be planted
    assert compile_function(function()).cached  # from the private one, and told once
    assert sorted(folder.iterdir()) == before
    private = cache_folder._private()
    assert stat.S_IMODE(private.stat().st_mode) == 0o700 and list(private.glob(f"*{cache.SUFFIX}"))


@posix
def test_a_folder_of_another_user_is_left_alone(folder, new_user, monkeypatch):
    compile_function(function(), tier="best")
    me = os.geteuid()
    made = []

    def another_user():
        """For the folder of the test another user than its owner; for the private one its maker."""
        return me if made else me + 1

    monkeypatch.setattr(os, "geteuid", another_user)
    private = cache_folder._private
    monkeypatch.setattr(cache_folder, "_private", lambda: made.append(True) or private())
    with pytest.warns(LinkworkWarning, match="belongs to another user"):
        assert not compile_function(function(), tier="best").cached  # which is looked for once


@posix
def test_links_are_not_followed(folder, tmp_path):
    compile_function(function())
    path = stored(folder)
    path.replace(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    before = (tmp_path / "elsewhere").read_bytes()
    again = compile_function(function())
    assert not again.cached and right(again)
    assert not path.is_symlink() and (tmp_path / "elsewhere").read_bytes() == before
    os.mkfifo(folder / f"{cache.key_of('pipe')}{cache.SUFFIX}")
    assert cache.load(cache.key_of("pipe")) is None  # and does not wait for a writer


@posix
def test_files_are_for_the_user_alone(folder):
    before = os.umask(0)
    try:
        compile_function(function())
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(stored(folder).stat().st_mode) == 0o600


def test_the_folder_stays_within_its_bound(folder, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 20_000)
    monkeypatch.setattr(cache.trim, "__defaults__", (20_000,))
    for i in range(400):
        cache.store(cache.key_of(str(i)), b"x" * 1000)
    cache.store("00" + cache.key_of("last")[2:], b"x")  # one of those after which is trimmed
    kept = sum(path.stat().st_size for path in folder.iterdir())
    assert 10_000 < kept <= 20_000

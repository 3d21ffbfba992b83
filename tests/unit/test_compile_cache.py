"""The object cache: what is stored comes back, and nothing on the disk can break a run."""

import os
import subprocess
import sys
import time

import casadi as ca
import numpy as np
import pytest

from linkwork.compile import cache, llvm
from linkwork.compile.native import compile_function


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
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


def spoil_byte(data):
    return data[:-5] + bytes([data[-5] ^ 1]) + data[-4:]


def other_format(data):
    magic, version, length, checksum = cache.HEADER.unpack_from(data)
    return cache.HEADER.pack(magic, version + 1, length, checksum) + data[cache.HEADER.size :]


@pytest.mark.parametrize(
    "damage",
    [spoil_byte, lambda d: d[: len(d) // 2], lambda d: d[:10], lambda d: b"", lambda d: b"foreign" * 99, other_format],
    ids=["corrupted", "truncated", "header cut", "empty", "foreign", "other format"],
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
    monkeypatch.setattr(llvm, "GENERATION", llvm.GENERATION + 1)
    try:
        assert not compile_function(function()).cached
    finally:
        llvm.generator.cache_clear()


@pytest.mark.parametrize("off", ["off", "OFF"])
def test_off(folder, monkeypatch, off):
    monkeypatch.setenv("LINKWORK_CACHE", off)
    assert cache.directory() is None
    assert right(compile_function(function()))
    assert not compile_function(function()).cached
    assert not folder.exists()


def test_not_wanted(folder):
    assert right(compile_function(function(), cache=False))
    assert not folder.exists()


def test_directory_that_cannot_be_made(folder, monkeypatch):
    folder.write_text("a file where the directory should be")
    assert right(compile_function(function()))
    monkeypatch.setenv("LINKWORK_CACHE", "/dev/null/cache")
    assert right(compile_function(function()))


def test_full_disk_leaves_nothing(folder, monkeypatch):
    def full(source, target):
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
    assert len(list(folder.glob(f"*{cache.SUFFIX}"))) == 12 and not list(folder.glob("*.tmp"))

"""What is on disk is taken for what it says only where this user's own package has written it, whole."""

from __future__ import annotations

import functools
import io
import marshal
import os
import pickle
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

import linkwork as lw
from linkwork.compile import cache as objects
from linkwork.compile import identity
from linkwork.examples import slider_crank
from linkwork.formulations import formulations, maximal
from linkwork.formulations.maximal_view import MaximalView
from linkwork.recall import recall
from linkwork.recall.packing import NotKept, Unpacker, packed
from linkwork.recall.untouched import is_untouched


def run() -> str:
    """Whether its equations were derived or found."""
    r = slider_crank.model().simulate(0.02, output=0.01)
    assert r.final["piston.x"] == pytest.approx(1.1988, abs=0.1)
    return str(r.record["code"]["equations"])


def files(cache: Path) -> list[Path]:
    return sorted(cache.glob(f"*{objects.SUFFIX}"))


def test_found_where_it_was_derived(cache: Path) -> None:
    assert [run(), run()] == ["derived", "found"]


def test_nothing_is_kept_where_the_cache_is_off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", "off")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert [run(), run()] == ["derived", "derived"] and not list(tmp_path.rglob(f"*{objects.SUFFIX}"))


@pytest.mark.parametrize("damage", ["flipped", "cut", "empty", "exchanged"])
def test_damaged_files_are_as_if_they_were_not_there(damage: str, cache: Path) -> None:
    assert run() == "derived"
    contents = [path.read_bytes() for path in files(cache)]
    for path, data, other in zip(files(cache), contents, contents[1:] + contents[:1], strict=True):
        middle = len(data) // 2
        flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
        path.write_bytes({"flipped": flipped, "cut": data[:-1], "empty": b"", "exchanged": other}[damage])
    assert [run(), run()] == ["derived", "found"]


def test_sealed_with_another_secret(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another user wrote."""
    assert run() == "derived"
    monkeypatch.setattr(objects, "secret", lambda: b"another")
    assert [run(), run()] == ["derived", "found"]


def test_another_package_derives_anew(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a file of it has changed, or CasADi has."""
    assert run() == "derived"
    for module in (recall, identity):
        monkeypatch.setattr(module, "package", lambda: "another")
    assert [run(), run()] == ["derived", "found"]


def test_a_changed_file_is_another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names, sizes and times of all files tell."""
    (tmp_path / "compile").mkdir()
    source = tmp_path / "compile" / "identity.py"
    source.write_text("1")
    monkeypatch.setattr(identity, "__file__", str(source))
    monkeypatch.setattr(identity, "BEGUN", time.time_ns() + 10**12)
    before = identity.package.__wrapped__()
    os.utime(source, ns=(1, 1))
    later = identity.package.__wrapped__()
    source.write_text("12")
    assert len({before, later, identity.package.__wrapped__()}) == 3


@pytest.mark.parametrize("library", [(identity.np, "__version__"), (identity.sys, "version")])
def test_other_libraries_are_another_package(library: tuple[Any, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of files may be of several environments."""
    before = identity.package.__wrapped__()
    monkeypatch.setattr(*library, "another")
    assert identity.package.__wrapped__() != before


def test_a_file_that_was_written_since_the_process_began(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read of it before is not what another process reads: no other finds what is derived from that."""
    (tmp_path / "compile").mkdir()
    source = tmp_path / "compile" / "identity.py"
    source.write_text("1")
    monkeypatch.setattr(identity, "__file__", str(source))
    written = source.stat().st_mtime_ns
    names = []
    for begun in (written - 1, written - 1, written, written):
        monkeypatch.setattr(identity, "BEGUN", begun)
        names.append(identity.package.__wrapped__())
    assert len(set(names)) == 3 and names[2] == names[3]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"garbage",
        marshal.dumps(None),
        marshal.dumps((b"", "", [], None)),
        marshal.dumps((pickle.dumps({}), "", [], None)),
    ],
)
def test_sealed_nonsense_is_as_if_it_were_not_there(content: bytes, cache: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recall, "bytes_of", lambda *_: (content, None))
        assert run() == "derived"
    assert [run(), run()] == ["derived", "found"]


def test_a_function_that_counts_its_calls_on_its_law(cache: Path) -> None:
    """What changes while it is looked at has no key, and is derived as ever."""
    m = lw.Model("counting")
    slide = m.prismatic("P", m.ground.at(), m.body("a", mass=1, inertia=1).at()).slide

    def pull(x: Any) -> Any:
        vars(law)[f"call {len(vars(law))}"] = True
        return -x

    law = lw.Effort(pull)
    slide.law(law)
    assert m.simulate(0.1).record["code"]["equations"] == "derived"


class Deed:
    """What pickle would do."""

    def __init__(self, call: Callable[..., Any], *arguments: object):
        self.call, self.arguments = call, arguments

    def __reduce__(self) -> tuple[object, ...]:
        return self.call, self.arguments


@pytest.mark.parametrize(
    "deed", [Deed(os.system, "true"), Deed(eval, "1"), Deed(lw.load, "x"), Deed(getattr, "x", "y")]
)
def test_only_classes_of_equations_are_read(deed: Deed) -> None:
    data = io.BytesIO()
    pickle.Pickler(data).dump(deed)
    with pytest.raises(pickle.UnpicklingError, match="not what equations are made of"):
        Unpacker(data.getvalue(), [], []).load()


@pytest.mark.parametrize("thing", [lambda: 0, os, os.getcwd, object(), Deed(len, "")])
def test_what_is_not_the_packages_own_is_not_written(thing: object) -> None:
    with pytest.raises((NotKept, pickle.PicklingError)):
        packed([thing], {})


def test_nothing_is_taken_where_what_derives_was_exchanged(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run() == "derived"
    masses = maximal.masses
    with monkeypatch.context() as patch:
        patch.setattr(maximal, "masses", lambda view: 2 * masses(view))
        with pytest.warns(lw.LinkworkWarning, match="energy balance"):  # the watch sees it, too
            assert [run(), run()] == ["derived", "derived"]
    assert run() == "found"


def test_another_formulation_under_the_name_of_one(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run() == "derived"
    absolute = formulations["absolute"]
    with monkeypatch.context() as patch:
        patch.setitem(formulations, "absolute", lambda model, **options: absolute(model, **options))
        assert [run(), run()] == ["derived", "derived"]
    assert run() == "found"


@pytest.mark.parametrize(
    ("place", "name", "put"),
    [
        (maximal, "masses", partial(maximal.masses)),
        (maximal, "masses", MagicMock(wraps=maximal.masses)),
        (maximal, "masses", functools.cache(lambda view: maximal.masses(view))),
        (maximal, "MaximalView", type("OwnView", (MaximalView,), {"__module__": __name__})),
        (MaximalView, "frame", staticmethod(lambda view, marker: marker)),
        (MaximalView, "frame", property(lambda view: 0)),
    ],
)
def test_whatever_is_put_in_the_place_of_something(
    place: object, name: str, put: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_untouched()
    monkeypatch.setattr(place, name, put)
    assert not is_untouched()

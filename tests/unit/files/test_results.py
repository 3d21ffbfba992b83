"""Results survive a round trip through every file format, and a bad file says so."""

from __future__ import annotations

import os

import numpy as np
import pytest

from linkwork.core.errors import LinkworkError
from linkwork.core.program import Channel
from linkwork.core.result import Result
from linkwork.files.results import SUFFIXES, load, save


def awkward() -> Result:
    """Values, names and units that a careless format would lose."""
    t = np.array([0.0, 0.1, 0.1, 1e9])
    names = [
        Channel("piston.x", "m"),
        Channel("O.reaction.mz", "N·m"),
        Channel('a,b "c"', "m/s²"),
        Channel("θ/2"),
        Channel("θ:2"),
    ]
    data = np.random.default_rng(1).standard_normal((4, 5)) * 10.0 ** np.arange(-300, 300, 120)
    data[1, :4] = [np.nan, np.inf, -np.inf, -0.0]
    record = {"model": "Größe\n2", "rtol": 1e-8, "parameters": {"L": 0.1 + 0.2}, "none": None, "list": [1, 2.5, "x"]}
    joint = {"dimension": 2, "first": {"body": "ground", "rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}
    description = {"ground": "ground", "joints": {"O": joint}}
    return Result(t, data, names, record=record, events=[(0.1, "hit # 1")], description=description)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_round_trip_is_exact(tmp_path, suffix):
    first, path = awkward(), tmp_path / f"run{suffix}"
    save(first, path)
    second = load(path)
    assert second.t.tobytes() == first.t.tobytes()
    np.testing.assert_array_equal(second.data, first.data)
    assert np.signbit(second.data[1, 3])
    assert second.channels == first.channels
    assert second.record == first.record
    assert second.events == first.events
    assert second.description == first.description
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("shape", [(0, 2), (0, 0), (3, 0), (1, 1)])
def test_round_trip_of_few_or_no_values(tmp_path, suffix, shape):
    channels = [Channel(f"c{i}") for i in range(shape[1])]
    save(Result(np.arange(shape[0], dtype=float), np.zeros(shape), channels), tmp_path / f"run{suffix}")
    again = load(tmp_path / f"run{suffix}")
    assert again.data.shape == shape and again.channels == tuple(channels)


def test_xarray_reads_the_netcdf_file(tmp_path):
    xarray = pytest.importorskip("xarray")
    save(awkward(), tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", engine="scipy") as data:
        np.testing.assert_array_equal(data["piston.x"].values, awkward()["piston.x"])
        assert data["O.reaction.mz"].attrs["units"] == "N·m"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_cut_short_is_found_out(tmp_path, suffix):
    path = tmp_path / f"run{suffix}"
    save(awkward(), path)
    content = path.read_bytes()
    for length in (0, 3, 40, len(content) // 2, len(content) - 40, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(LinkworkError, match="not a whole result file"):
            load(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_of_something_else_is_found_out(tmp_path, suffix):
    path = tmp_path / f"run{suffix}"
    for content in (b"t,x\n0,1\n", b"\xff\xfe\x00", b"# linkwork result, format 1; samples: 2\n"):
        path.write_bytes(content)
        with pytest.raises(LinkworkError, match="not a whole result file"):
            load(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_flipped_bit_is_told(tmp_path, suffix, rng):
    """Whatever bit flips: the file is refused, or every number and note is as it was saved."""
    first, path = awkward(), tmp_path / f"run{suffix}"
    save(first, path)
    whole = path.read_bytes()
    told = 0
    for place in rng.integers(8 * len(whole), size=300):
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << (place % 8)
        path.write_bytes(damaged)
        try:
            second = load(path)
        except LinkworkError as error:
            told += "not a whole result file" in str(error)
            continue
        np.testing.assert_array_equal(second.t, first.t)
        np.testing.assert_array_equal(second.data, first.data)
        assert second.channels == first.channels and second.events == first.events
        assert second.record == first.record and second.description == first.description
        told += 1
    assert told == 300


def test_the_wrong_suffix_names_the_right_ones(tmp_path):
    with pytest.raises(LinkworkError, match=r"\.nc, \.csv"):
        save(awkward(), tmp_path / "run.xlsx")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_path_that_cannot_be_written_or_read_is_named(tmp_path, suffix):
    path = tmp_path / "nowhere" / f"run{suffix}"
    with pytest.raises(LinkworkError, match="nowhere.*cannot be written"):
        save(awkward(), path)
    with pytest.raises(LinkworkError, match="nowhere.*cannot be read"):
        load(path)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "run.csv"
    save(awkward(), path)
    before = path.read_bytes()
    broken = awkward()
    broken.record["model"] = object()
    with pytest.raises(TypeError):
        save(broken, path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["run.csv"]

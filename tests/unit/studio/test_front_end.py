"""three.js: where it comes from, and what is said where it is missing or another version."""

from __future__ import annotations

import pytest

from linkwork.core.errors import LinkworkError
from linkwork.studio import front_end


def test_the_script_is_the_version_the_player_is_written_for():
    assert f'"{front_end.REVISION}"' in front_end.three() and "Three.js Authors" in front_end.three()


def test_a_front_end_that_is_missing_is_told(example, monkeypatch):
    def missing(_):
        raise ModuleNotFoundError("jupyter_threejs_sage")

    monkeypatch.setattr(front_end, "files", missing)
    front_end.three.cache_clear()
    with pytest.raises(LinkworkError, match=r"three\.js.*pip install"):
        _ = example("slider_crank").simulate(0.1).animate().html
    front_end.three.cache_clear()


def test_a_front_end_of_another_version_is_told(tmp_path, monkeypatch):
    folder = tmp_path / f"static/r{front_end.REVISION}"
    folder.mkdir(parents=True)
    (folder / "three.min.js").write_text('const e="99";t.REVISION=e')
    monkeypatch.setattr(front_end, "files", lambda _: tmp_path)
    front_end.three.cache_clear()
    with pytest.raises(LinkworkError, match=r"not r130.*pip install"):
        front_end.three()
    front_end.three.cache_clear()

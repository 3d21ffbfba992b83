"""Documents: versions, undo, the copy on disk, and how data are laid out as text."""

from __future__ import annotations

import tomllib

import pytest

from linkwork.core.errors import LinkworkError
from linkwork.files.models.saving import content_of
from linkwork.files.models.toml_text import written
from linkwork.studio.server import document
from linkwork.studio.server.document import Document, forget_old, kept, restored, text_of


def test_undo_and_redo_go_among_versions_and_a_change_ends_what_can_be_redone():
    made = Document(None, "a")
    made.change("b")
    made.change("c")
    made.step(-1)
    made.step(-1)
    assert made.text == "a" and made.can_redo and not made.can_undo
    made.step(1)
    assert made.text == "b"
    made.change("d")
    assert made.text == "d" and not made.can_redo
    with pytest.raises(LinkworkError, match="nothing to redo"):
        made.step(1)


def test_a_change_that_changes_nothing_is_no_version():
    made = Document(None, "a")
    made.change("a")
    assert not made.can_undo and made.number == 0


def test_old_versions_are_forgotten(monkeypatch):
    monkeypatch.setattr(document, "VERSION_LIMIT", 5)
    made = Document(None, "0")
    for k in range(1, 20):
        made.change(str(k))
    assert [text for text, _ in made.versions] == ["15", "16", "17", "18", "19"] and made.text == "19"


def test_a_text_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(document, "LARGEST_TEXT", 100)
    with pytest.raises(LinkworkError, match="too large"):
        Document(None, "a").change("b" * 101)


def test_a_document_comes_back_as_it_was_left(tmp_path):
    made = restored(tmp_path, "tab1", "first", {"name": "x"})
    assert made.text == "first"
    made.change("second")
    made.change("third")
    made.step(-1)
    again = restored(tmp_path, "tab1", "another", None)
    assert again.text == "second" and again.can_undo and again.can_redo and again.hints == {"name": "x"}
    assert restored(tmp_path, "tab2", "another", None).text == "another"
    assert kept(tmp_path, "tab1").with_suffix(".toml").read_text() == "second"


OUT_OF_RANGE = '{"versions": [["a", 0]], "origins": [{}], "place": 7, "number": 1}'


@pytest.mark.parametrize("content", ["", "{", "[]", OUT_OF_RANGE, "\x00"])
def test_a_damaged_copy_is_a_new_document(tmp_path, content):
    file = kept(tmp_path, "tab")
    file.parent.mkdir()
    file.write_text(content)
    assert restored(tmp_path, "tab", None).text == document.EMPTY


def test_a_folder_that_cannot_be_written_stops_no_edit(tmp_path):
    (tmp_path / ".linkwork-studio").write_text("a file where the folder should be")
    made = restored(tmp_path, "tab", "first")
    made.change("second")
    assert made.text == "second" and made.unkept


def test_documents_of_long_ago_are_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr(document, "FILE_LIMIT", 2)
    for k in range(4):
        restored(tmp_path, f"tab{k}", "x").change("y")
    forget_old(tmp_path)
    assert len(list((tmp_path / ".linkwork-studio").glob("*.json"))) == 2
    assert len(list((tmp_path / ".linkwork-studio").glob("*.toml"))) == 2


@pytest.mark.parametrize("name", ["slider_crank", "car", "excavator_boom", "right_angles", "snakeboard"])
def test_data_are_laid_out_as_a_model_is_saved(example, name):
    text = written(content_of(example(name)))
    assert text_of(tomllib.loads(text)) == text


def test_undoing_an_opening_goes_back_to_the_file_before(tmp_path):
    made = restored(tmp_path, "tab", "empty")
    made.opened("a", "a.toml", {"name": "a"})
    made.change("a2")
    made.opened("b", "b.toml")
    assert (made.path, made.is_saved, made.hints) == ("b.toml", True, {})
    made.step(-1)
    assert (made.path, made.is_saved, made.hints) == ("a.toml", False, {"name": "a"})
    again = restored(tmp_path, "tab", None)
    again.step(-1)
    assert (again.text, again.path, again.is_saved) == ("a", "a.toml", True)
    again.saved_as("c.toml")
    again.step(1)
    assert (again.text, again.path, again.is_saved) == ("a2", "c.toml", False)
    again.step(1)
    assert again.path == "b.toml"

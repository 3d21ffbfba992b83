"""Write a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from linkwork.core.errors import LinkworkError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary neighbour of `path` to write to; it takes the place of `path` when the block ends well."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    except OSError as error:
        raise _unwritable(path, error) from error
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)  # mkstemp made it private; a normal new file is not
        draft.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        with suppress(OSError):
            draft.unlink()


def _unwritable(path: Path, error: OSError) -> LinkworkError:
    remedy = "Check that the folder exists and that you may write there."
    return LinkworkError(f"cannot be written: {error.strerror or error}.", component=str(path), remedy=remedy)

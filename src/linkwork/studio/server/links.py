"""A model as a piece of an address: compressed text, so that a link carries all of it."""

from __future__ import annotations

import base64
import binascii
import zlib

from linkwork.core.errors import LinkworkError
from linkwork.studio.server.settings import LARGEST_TEXT

BEGINNING = "lw1."
"""Of every link, with the version of its format."""


def link_of(text: str) -> str:
    """Letters, digits, '-', '_' and '.' only."""
    compressed = zlib.compress(text.encode("utf-8"), 9)
    return BEGINNING + base64.urlsafe_b64encode(compressed).decode("ascii").rstrip("=")


def is_link(text: str) -> bool:
    return text.startswith(BEGINNING)


def text_of(link: str) -> str:
    """The text in a link; never more than a model may have, whatever the link unpacks to."""
    body = link.removeprefix(BEGINNING).strip()
    try:
        compressed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        unpack = zlib.decompressobj()
        content = unpack.decompress(compressed, LARGEST_TEXT)
        if not unpack.eof:
            raise LinkworkError(
                f"the link is cut off, or holds more than {LARGEST_TEXT} bytes.", remedy="Ask for it again."
            )
        return content.decode("utf-8")
    except (binascii.Error, zlib.error, UnicodeError, ValueError):
        raise LinkworkError("the link is damaged.", remedy="Copy all of it, to its last letter.") from None

"""Who may ask, and for which files. Whatever is refused here never reaches a worker."""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath

from linkwork.core.errors import LinkworkError
from linkwork.studio.server.settings import Settings

LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")
"""Hosts by which a browser of this machine asks. Any other name that leads here is somebody else's (DNS rebinding)."""
TAB = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
"""Of every answer: scripts are the package's own, and no other site may show or read the page."""


def is_local(address: str) -> bool:
    """Whether only this machine can reach it."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    return secrets.token_urlsafe(24)


def refusal(settings: Settings, headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:
    """Why a request for the page or for a connection is refused; None: it may come in."""
    host = headers.get("host", "")
    if is_local(settings.address) and not _is_own(host, settings.address):
        return f"the studio is at localhost, not at {host[:100]!r}."
    if settings.token is not None and not secrets.compare_digest(
        query.get("token", "").encode(), settings.token.encode()
    ):
        return "the address needs its token: open the one that the terminal shows."
    return None


def foreign(settings: Settings, headers: Mapping[str, str]) -> str | None:
    """Why a connection is refused beside that: pages of other sites may not open one."""
    origin = headers.get("origin")
    if origin is None:
        return "it comes from no page."
    scheme, _, host = origin.partition("://")
    if scheme not in ("http", "https") or host.lower() != headers.get("host", "").lower():
        return f"it comes from a page of {origin[:100]!r}."
    return None


def _is_own(host: str, address: str) -> bool:
    name = re.sub(r":\d+\Z", "", host).lower()
    return name in (*LOCAL_NAMES, address)


def checked_tab(name: str | None) -> str | None:
    """The name of a tab, which becomes that of a file; None: it cannot be one."""
    return name if name is not None and TAB.match(name) else None


def inside(folder: Path, given: str) -> Path:
    """A file of the folder; links are followed before it is decided whether it lies there."""
    if not isinstance(given, str) or not given.strip() or "\0" in given or len(given) > 1000:
        raise LinkworkError("no file of that name.", remedy="Give the name of a file in the studio's folder.")
    windows = PureWindowsPath(given)
    absolute = PurePosixPath(given).is_absolute() or windows.drive or windows.root
    parts = [*PurePosixPath(given).parts, *windows.parts]
    hidden = any(part.startswith(".") for part in parts)
    base = folder.resolve()
    path = base if absolute or hidden else (base / given).resolve()
    if absolute or hidden or not path.is_relative_to(base) or path == base:
        raise LinkworkError(
            "lies outside of the studio's folder, or is hidden.",
            component=given[:200],
            remedy=f"Give a file in {base} or below.",
        )
    return path

"""Answers as JSON. What JSON cannot say (NaN, infinities) is null, and no word that a browser would stumble over."""

from __future__ import annotations

import json
import math
from typing import Any

from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Record


def as_json(content: object) -> bytes:
    """The text, in UTF-8."""
    try:
        return _text(content)
    except ValueError:
        return _text(_finite(content))


def _text(content: object) -> bytes:
    # a name may hold half of a pair of surrogates, which UTF-8 cannot
    return json.dumps(content, separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode("utf-8", "replace")


def _finite(content: Any) -> Any:
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, dict):
        return {key: _finite(x) for key, x in content.items()}
    return [_finite(x) for x in content] if isinstance(content, list | tuple) else content


def asked(text: str) -> Record:
    """What a request says; LinkworkError: it is none."""

    def no_constant(word: str) -> None:
        raise LinkworkError(f"{word} is no number.", remedy="Give finite numbers.")

    try:
        request = json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise LinkworkError("the request is no JSON.") from None
    if not isinstance(request, dict) or not isinstance(request.get("verb"), str):
        raise LinkworkError("the request names no verb.", remedy='Send {"id": 1, "verb": "state"}.')
    if type(request.get("id")) is not int:
        raise LinkworkError("the request has no number.", remedy='Send {"id": 1, "verb": "state"}.')
    return request


def told(error: BaseException) -> Record:
    """An error as the page shows it."""
    if isinstance(error, LinkworkError):
        text = f"{error.component}: {error.cause}" if error.component else error.cause
        return {"message": text, "component": error.component, "remedy": error.remedy}
    if isinstance(error, MemoryError):
        return {
            "message": "there is not enough memory for that.",
            "component": None,
            "remedy": "Ask for fewer samples, a shorter duration or a smaller model.",
        }
    said = str(error).partition("\n")[0]
    return {
        "message": f"{type(error).__name__}: {said}" if said else type(error).__name__,
        "component": None,
        "remedy": "This is a defect in Linkwork; the model is kept.",
    }

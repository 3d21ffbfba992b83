"""MJCF: files that include others, and classes of defaults, resolved so that every element has all its attributes."""

from __future__ import annotations

from pathlib import Path

from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.files.folder import beside
from linkwork.files.robots import xml_tree
from linkwork.files.robots.xml_tree import ELEMENT_LIMIT, Element

INCLUDE_LIMIT = 100
"""Files that one may include."""
MAIN = "main"
ALIKE = {"freejoint": "joint", "motor": "general", "position": "general", "velocity": "general"}


def included(root: Element, folder: Path) -> Element:
    """The tree with every <include> replaced by what it names; a file that includes itself is refused."""
    count = [0, 0]

    def expanded(element: Element, above: tuple[Path, ...]) -> list[Element]:
        count[0] += 1
        if count[0] > ELEMENT_LIMIT:
            element.fail(f"more than {ELEMENT_LIMIT} elements with all that is included.")
        if element.tag != "include":
            element.children = [x for child in element.children for x in expanded(child, above)]
            return [element]
        try:
            file = beside(root.file.parent, folder, element.text("file"))
        except LinkworkError as error:
            element.fail(error.cause, error.remedy)
        count[1] += 1
        if file in above or count[1] > INCLUDE_LIMIT:
            element.fail(f"{file.name!r} includes itself, or there are more than {INCLUDE_LIMIT} includes.")
        inner = xml_tree.read(file)
        return [x for child in inner.children for x in expanded(child, (*above, file))]

    (whole,) = expanded(root, (root.file.resolve(),))
    return whole


class Defaults:
    """Attributes by class and tag."""

    def __init__(self, root: Element):
        self._known: dict[str, dict[str, dict[str, str]]] = {MAIN: {}}
        for default in root.all("default"):
            self._read(default, default.attributes.get("class", MAIN), self._known[MAIN])

    def _read(self, default: Element, name: str, above: dict[str, dict[str, str]]) -> None:
        own = self._known.setdefault(name, {tag: dict(given) for tag, given in above.items()})
        for child in default.children:
            if child.tag != "default":
                own.setdefault(child.tag, {}).update(child.attributes)
        for child in default.all("default"):
            self._read(child, child.text("class"), own)

    def applied(self, element: Element, inherited: str) -> Element:
        """The same element with what its class says; inherited: the class of the bodies it is in."""
        name = element.attributes.get("class", inherited)
        if name not in self._known:
            error = UnknownName("class of defaults", name, self._known)
            element.fail(error.cause, error.remedy)
        given = self._known[name].get(element.tag, {})
        if element.tag in ALIKE and element.tag != "freejoint":
            given = {**self._known[name].get("general", {}), **given}
        return Element(element.tag, {**given, **element.attributes}, element.line, element.file, element.children)

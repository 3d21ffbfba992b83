"""What of a file was not taken: nothing is left out without a word."""

from __future__ import annotations

import warnings

from linkwork.core.errors import LinkworkWarning, callers_level
from linkwork.core.finding import Finding
from linkwork.core.model import Model
from linkwork.files.robots.xml_tree import Element


class Report:
    """Findings while a file is read, the same of many elements told once."""

    def __init__(self) -> None:
        self._told: dict[str, list[Element]] = {}

    def left_out(self, element: Element, what: str) -> None:
        """Something was not taken; what: a sentence without its place."""
        self._told.setdefault(what, []).append(element)

    def findings(self) -> list[Finding]:
        findings = []
        for what, elements in self._told.items():
            first = elements[0]
            more = f" (and {len(elements) - 1} more)" if len(elements) > 1 else ""
            findings.append(Finding("import", f"{first.place} {first.said}{more}", None, what))
        return findings

    def give_to(self, model: Model) -> Model:
        """The model with its findings; a warning says how many there are."""
        model.findings = findings = self.findings()
        if findings:
            shown = "\n".join(f"  {finding}" for finding in findings)
            warnings.warn(
                LinkworkWarning(f"{model.name}: not all of the file was taken (m.findings):\n{shown}"),
                stacklevel=callers_level(),
            )
        return model

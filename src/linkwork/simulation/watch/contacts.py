"""Was something pressed so deep into another that it may have come out behind it?"""

from __future__ import annotations

from collections.abc import Iterable

from linkwork.components.contacts.contact import Contact
from linkwork.core.finding import Finding
from linkwork.simulation.watch.evidence import Evidence, finding


@finding
def contacts(run: Evidence) -> Iterable[Finding]:
    """Springy contacts say so themselves, by an event."""
    told = set()
    for event in sorted(run.path.events, key=lambda e: e.t):
        source = run.program.events[event.index]
        if source.action == "record" and isinstance(source.about, Contact) and source.about not in told:
            told.add(source.about)
            yield Finding(
                "contact", source.about.name, float(event.t),
                "it is pressed in almost to where the other side is nearer, and then pushed out there: too soft for "
                "this speed and mass. Give it a greater stiffness or dissipation, or use m.rigid_contact(…).",
            )  # fmt: skip

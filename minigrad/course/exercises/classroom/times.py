"""Times of hand-in, as people and learning platforms write them."""

from __future__ import annotations

import contextlib
import re
from datetime import datetime, time, timezone

FORMS = (  # times as Moodle's grading worksheet has them in English, as Canvas exports them, in German
    "%A, %d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M", "%A, %B %d, %Y, %I:%M %p",
    "%Y-%m-%d %H:%M:%S %Z", "%d.%m.%Y %H:%M", "%d.%m.%Y",
)  # fmt: skip
MONTHS = (
    "januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober",
    "november", "dezember",
)  # fmt: skip


def read_time(text: str) -> datetime:
    """A time in one of the forms in which it is written; without a zone it is local.

    Raises:
        ValueError: if it is in none.
    """
    with contextlib.suppress(ValueError):
        return datetime.fromisoformat(text)
    # "Sonntag, 22. November 2026, 09:00" as 22.11.2026 09:00
    german = re.fullmatch(
        r"(?:\w+, *)?(\d+\.) *(\w+\.?) *(\d{4})(?:,? +(?:um )?(\d+:\d+))?(?: Uhr)?", text
    )
    if german:
        day, month, year, clock = german.groups()
        if month.lower() in MONTHS:
            month = f"{MONTHS.index(month.lower()) + 1}."
        text = f"{day}{month}{year}{f' {clock}' * bool(clock)}"
    for form in FORMS:
        with contextlib.suppress(ValueError):
            when = datetime.strptime(text, form)
            return when.replace(tzinfo=timezone.utc) if form.endswith("%Z") else when
    raise ValueError(f"no time: {text!r}")


def read_due(text: str) -> datetime:
    """The time until which work is to be handed in: of a day alone, its end.

    Raises:
        ValueError: if it is none.
    """
    when = read_time(text)
    return when if re.search("[T:]", text) else datetime.combine(when, time.max)

"""One line of doctor's answer."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Whether something can be measured here, by this user."""

    AVAILABLE = "available"
    LIMITED = "limited"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class Check:
    """What was found on one subject; the remedy is the way to more, empty where none is known."""

    name: str
    status: Status
    detail: str
    remedy: str = ""


def available(name: str, detail: str, remedy: str = "") -> Check:
    """Return a check of something that works."""
    return Check(name, Status.AVAILABLE, detail, remedy)


def limited(name: str, detail: str, remedy: str = "") -> Check:
    """Return a check of something that works in part."""
    return Check(name, Status.LIMITED, detail, remedy)


def unavailable(name: str, detail: str, remedy: str = "") -> Check:
    """Return a check of something that does not work."""
    return Check(name, Status.UNAVAILABLE, detail, remedy)

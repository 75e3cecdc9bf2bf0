"""The result of one check."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Whether something can be measured here, by this user."""

    AVAILABLE = "available"
    LIMITED = "limited"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class Check:
    """The status of one subject; the remedy is empty if none is known."""

    name: str
    status: Status
    detail: str
    remedy: str = ""


def available(name: str, detail: str, remedy: str = "") -> Check:
    """Return a check of a feature that works."""
    return Check(name, Status.AVAILABLE, detail, remedy)


def limited(name: str, detail: str, remedy: str = "") -> Check:
    """Return a check of a feature that works partially."""
    return Check(name, Status.LIMITED, detail, remedy)


def unavailable(name: str, detail: str, remedy: str = "") -> Check:
    """Return a check of a feature that does not work."""
    return Check(name, Status.UNAVAILABLE, detail, remedy)

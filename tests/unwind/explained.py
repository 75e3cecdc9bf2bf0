"""The accepted differences of our chains from those of elfutils, with reasons.

A class of differences is difference_text by where the chains part: in the caller of which function, and who
goes on.
"""

import re
from dataclasses import dataclass
from typing import Any

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Explained:
    """Patterns (full matches) for a class of differences, and its reason."""

    why: str
    kind: str
    place: str = ".*"  # MODULE:SYMBOL of the last frame in common
    our_end: str = ".*"
    their_end: str = ".*"
    leaf: str = ".*"

    def matches(self, difference: Document) -> bool:
        """Return whether this explains a class of differences."""
        place = f"{difference['module']}:{difference['symbol']}"
        return all(
            re.fullmatch(pattern, text) is not None
            for pattern, text in (
                (self.kind, difference["kind"]),
                (self.place, place),
                (self.our_end, difference["our_end"]),
                (self.their_end, difference["their_end"]),
                (self.leaf, difference["leaf"]),
            )
        )


EXPLAINED = (
    Explained(
        "No call frame information, and the frame pointer is still the caller's own: elfutils "
        "goes to the caller's caller, or nowhere. We see the return address on top of the stack.",
        kind="theirs skips callers|ours goes on",
        leaf="at return|at entry|at jump|frame pointer pushed",
        their_end="complete|No DWARF information found",
    ),
    Explained(
        "The same where functions may begin, at a multiple of 16: right in leaves that make no "
        "frame as well, and a frame too many where an old return address lies on top.",
        kind="theirs skips callers|ours goes on|parted",
        leaf="at a multiple of 16",
        their_end="complete|No DWARF information found|no matching address range",
    ),
    Explained(
        "musl's libc has neither tables nor frame pointers: both sides guess, by different words.",
        kind="parted",
        place="libc[.]so:.*",
        their_end="No DWARF information found|no matching address range",
    ),
    Explained(
        "The loader binds a function at its first call: it keeps its frame by rbx, which elfutils "
        "(0.188) holds for unknown as long as the function below it has not saved it.",
        kind="ours goes on",
        place="ld-linux-x86-64[.]so[.]2:",
        their_end="complete",
    ),
)


def difference_text(difference: Document) -> str:
    """Return a class of differences as a line; its example is in build/unwind."""
    return (
        f"{difference['chains']} chains: {difference['kind']} "
        f"after {difference['module']}:{difference['symbol']} "
        f"(ours: {difference['our_end']}, theirs: {difference['their_end']}, leaf: {difference['leaf']})"
    )


def unexplained(document: Document) -> list[str]:
    """Return the classes of differences that no entry explains."""
    return [
        difference_text(difference)
        for difference in document["differences"]
        if not any(entry.matches(difference) for entry in EXPLAINED)
    ]

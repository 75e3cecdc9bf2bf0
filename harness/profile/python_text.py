"""What is said of Python frames: how many samples have them, why others have not, and the GIL."""

import math

from harness.cli.terminal import percent
from topdown.stacks.python.shares import PythonShares


def python_text(shares: PythonShares) -> str:
    """Return the shares for a person; empty if no interpreter was met."""
    parts = []
    if shares.samples:
        versions = ", ".join(shares.versions)
        parts.append(
            f"{percent(shares.share(shares.framed))} of the samples of CPython {versions} have "
            "Python frames"
        )
        others = (
            (shares.native, "have no interpreter on their stacks"),
            (shares.moved_on, "moved on before the frames were read"),
            (shares.unread, "were not read"),
        )
        parts += [f"{percent(shares.share(count))} {why}" for count, why in others if count]
        if shares.gil_known:
            parts.append(f"GIL held in {percent(shares.gil_share)}")
    if shares.trampolined:
        many = f"{shares.trampolined} processes name their"
        named = "1 process names its" if shares.trampolined == 1 else many
        parts.append(f"{named} functions by perf trampolines")
    return "; ".join(parts)


def python_document(shares: PythonShares | None) -> dict[str, object] | None:
    """Return the shares for scripts, 0..1 of the samples of interpreters that were read.

    None if no interpreter was met.
    """
    if shares is None or not (shares.samples or shares.trampolined):
        return None
    counts = {
        "framed_share": shares.framed,
        "native_share": shares.native,
        "moved_on_share": shares.moved_on,
        "unread_share": shares.unread,
    }
    return {
        "versions": list(shares.versions),
        "samples": shares.samples,
        **{key: _number(shares.share(count)) for key, count in counts.items()},
        "gil_held_share": _number(shares.gil_share),
        "torn_reads": shares.torn,
        "late_reads": shares.late,
        "trampolined_processes": shares.trampolined,
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None

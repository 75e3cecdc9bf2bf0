"""What is said of stacks: how they were taken, how many are whole, what makes more of them so."""

import math

from harness.cli.terminal import percent
from stallscope.recordings import StackRecording
from topdown.stacks.folding.truncation import BEYOND_COPY, NO_FRAME_POINTERS, NO_TABLE
from topdown.stacks.profile import StackShares

# A stack that ends early tells nothing of its callers; from this share on the reader is told.
TELLING_SHARE = 0.05
REMEDY_FROM_SHARE = 0.02  # of a single reason
LARGEST_COPY_BYTES = 65_528  # the largest multiple of 8 that PERF_SAMPLE_STACK_USER takes
REASONS_SHOWN = 3


def choice_text(choice: StackRecording) -> str:
    """Return how stacks were taken, and why, in one line."""
    copied = f"copied, {_kib(choice.copy_bytes)} a sample"
    how = {
        "fp": "by frame pointers",
        "dwarf": copied,
        "mixed": f"{copied}, where frame pointers do not reach far",
    }.get(choice.chosen, choice.chosen)
    if choice.asked == "auto":
        return f"{how} (auto: {choice.why})" if choice.why else f"{how} (auto)"
    return f"{how} (--stacks {choice.asked})"


def shares_text(shares: StackShares) -> str:
    """Return the share of whole stacks, and of truncated ones by their reasons."""
    if not shares.truncated > 0:
        return _share_text(shares.complete)
    said = [f"{reason} {_share_text(share)}" for reason, share in shares.reasons[:REASONS_SHOWN]]
    rest = sum(share for _, share in shares.reasons[REASONS_SHOWN:])
    said += [f"other reasons {_share_text(rest)}"] if rest else []
    reasons = f": {', '.join(said)}" if said else ""
    return f"{_share_text(shares.complete)}; truncated {_share_text(shares.truncated)}{reasons}"


def _share_text(share: float) -> str:
    if 0 < share < 0.0005:
        return "< 0.1 %"
    return "> 99.9 %" if 0.9995 <= share < 1 else percent(share)


def _kib(size_bytes: int) -> str:
    return f"{round(size_bytes / 1024, 1):g} KiB"


def remedies(shares: StackShares, choice: StackRecording | None) -> list[str]:
    """Return what makes more stacks whole in the next recording, by what cut these."""
    by_reason = dict(shares.reasons)
    files = [
        reason.removeprefix(NO_TABLE)
        for reason, share in shares.reasons
        if reason.startswith(NO_TABLE) and share >= REMEDY_FROM_SHARE
    ]
    told = []
    if by_reason.get(NO_FRAME_POINTERS, 0) >= REMEDY_FROM_SHARE:
        told.append(
            "Record with --stacks dwarf: it unwinds code without frame pointers, "
            "from copies of the stacks."
        )
    if by_reason.get(BEYOND_COPY, 0) >= REMEDY_FROM_SHARE:
        told.append(_deeper_copy(choice.copy_bytes if choice is not None else 0))
    if files:
        told.append(
            f"Build {', '.join(files[:REASONS_SHOWN])} with unwind tables or frame pointers, "
            "or install the debug files."
        )
    return told


def _deeper_copy(copy_bytes: int) -> str:
    if copy_bytes >= LARGEST_COPY_BYTES:
        return "Some stacks are deeper than what the kernel copies at most; frame pointers go on."
    then = min(LARGEST_COPY_BYTES, max(16_384, 4 * copy_bytes))
    now = f" than the {_kib(copy_bytes)} copied" if copy_bytes else " than what was copied"
    return f"Some stacks are deeper{now}: record with --stack-bytes {then}."


def stacks_document(shares: StackShares, choice: StackRecording | None) -> dict[str, object]:
    """Return what the JSON document says of stacks; shares are of the weight, null: not known."""
    return {
        "asked": choice.asked if choice is not None else None,
        "chosen": choice.chosen if choice is not None else None,
        "copy_bytes": choice.copy_bytes if choice is not None else None,
        "why": choice.why if choice is not None else None,
        "complete_share": _known(shares.complete),
        "truncated_share": _known(shares.truncated),
        "cut_share": _known(shares.cut_by_copy),
        "reasons": [{"reason": reason, "share": share} for reason, share in shares.reasons],
    }


def _known(share: float) -> float | None:
    return share if math.isfinite(share) else None

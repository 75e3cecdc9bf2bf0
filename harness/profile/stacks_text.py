"""Stacks in words: how they were recorded, how many are complete, and remedies."""

from harness.cli.terminal import percent
from harness.profile.result import StacksResult
from topdown.stacks.folding.truncation import BEYOND_COPY, NO_FRAME_POINTERS, NO_TABLE

# A truncated stack has no callers; from this share on, a caveat is printed.
MIN_CAVEAT_SHARE = 0.05
MIN_REMEDY_SHARE = 0.02  # of a single reason
MAX_COPY_BYTES = 65_528  # the largest multiple of 8 for PERF_SAMPLE_STACK_USER
REASONS_SHOWN = 3


def recording_text(stacks: StacksResult) -> str:
    """Return how stacks were recorded, and why; empty if it is not known."""
    if stacks.chosen is None:
        return ""
    copied = f"copied, {_kib(stacks.copy_bytes or 0)} per sample"
    how = {
        "fp": "by frame pointers",
        "dwarf": copied,
        "mixed": f"{copied}, for processes without frame pointers",
    }.get(stacks.chosen, stacks.chosen)
    if stacks.requested == "auto":
        return f"{how} (auto: {stacks.why})" if stacks.why else f"{how} (auto)"
    return f"{how} (--stacks {stacks.requested})"


def shares_text(stacks: StacksResult) -> str:
    """Return the share of complete stacks, and of truncated stacks by reason."""
    complete = _share_text(stacks.complete_share)
    if not stacks.truncated_share:
        return complete
    parts = [
        f"{reason.reason} {_share_text(reason.share)}" for reason in stacks.reasons[:REASONS_SHOWN]
    ]
    rest = sum(reason.share for reason in stacks.reasons[REASONS_SHOWN:])
    parts += [f"other reasons {_share_text(rest)}"] if rest else []
    reasons = f": {', '.join(parts)}" if parts else ""
    return f"{complete}; truncated {_share_text(stacks.truncated_share)}{reasons}"


def _share_text(share: float | None) -> str:
    if share is None:
        return "n/a"
    if 0 < share < 0.0005:
        return "< 0.1 %"
    return "> 99.9 %" if 0.9995 <= share < 1 else percent(share)


def _kib(size_bytes: int) -> str:
    return f"{round(size_bytes / 1024, 1):g} KiB"


def remedies(stacks: StacksResult) -> list[str]:
    """Return how to get more complete stacks in the next recording, by reason of truncation."""
    by_reason = {reason.reason: reason.share for reason in stacks.reasons}
    files = [
        reason.removeprefix(NO_TABLE)
        for reason, share in by_reason.items()
        if reason.startswith(NO_TABLE) and share >= MIN_REMEDY_SHARE
    ]
    texts = []
    if by_reason.get(NO_FRAME_POINTERS, 0) >= MIN_REMEDY_SHARE:
        texts.append(
            "Record with --stacks dwarf: it unwinds code without frame pointers, "
            "from copies of the stacks."
        )
    if by_reason.get(BEYOND_COPY, 0) >= MIN_REMEDY_SHARE:
        texts.append(_deeper_copy(stacks.copy_bytes or 0))
    if files:
        texts.append(
            f"Build {', '.join(files[:REASONS_SHOWN])} with unwind tables or frame pointers, "
            "or install the debug files."
        )
    return texts


def _deeper_copy(copy_bytes: int) -> str:
    if copy_bytes >= MAX_COPY_BYTES:
        return "Some stacks are deeper than the kernel's maximum copy: use frame pointers."
    larger = min(MAX_COPY_BYTES, max(16_384, 4 * copy_bytes))
    than = f" than the {_kib(copy_bytes)} copied" if copy_bytes else " than the copied part"
    return f"Some stacks are deeper{than}: record with --stack-bytes {larger}."

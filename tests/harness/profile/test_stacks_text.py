"""How stacks were recorded, how many are complete, and remedies."""

from collections.abc import Callable

import pytest
from msgspec import structs

from harness.profile.result import stacks_result
from harness.profile.stacks_text import shares_text
from stallscope.recordings import StackRecording
from tests.harness.profile.summaries import RECORDED, text_of
from topdown.stacks.profile import Profile, StackShares


def text_of_shares(shares: StackShares) -> str:
    return shares_text(stacks_result(shares, None))


@pytest.mark.parametrize(
    ("stacks", "expected"),
    [
        (StackRecording("fp", "fp", 0, "", ()), "by frame pointers (--stacks fp)"),
        (StackRecording("fp", "auto", 0, "", ()), "by frame pointers (auto)"),
        (StackRecording("dwarf", "dwarf", 65528, "requested", ()), "copied, 64 KiB per sample (--stacks dwarf)"),
        (StackRecording("mixed", "auto", 16384, "it is", ()), "for processes without frame pointers (auto: it is)"),
        (StackRecording("\x1b[2J", "\x1b", 1, "\x1b", ()), "\\x1b[2J (--stacks \\x1b)"),
    ],
)  # fmt: skip
def test_text_of_every_stack_mode(
    profile_of: Callable[..., Profile], stacks: StackRecording, expected: str
) -> None:
    assert expected in text_of(profile_of([(("main",), 4)]), stacks=stacks).replace(
        "\n" + " " * 11, " "
    )


@pytest.mark.parametrize(
    ("reasons", "copy_bytes", "remedy"),
    [
        ((("no frame pointers", 0.9),), 0, "Record with --stacks dwarf"),
        ((("beyond the copied stack", 0.9),), 8192, "than the 8 KiB copied: record with --stack-bytes 32768."),
        ((("beyond the copied stack", 0.9),), 32768, "record with --stack-bytes 65528."),
        ((("beyond the copied stack", 0.9),), 65528, "deeper than the kernel's maximum copy"),
        ((("no unwind information in a.so", 0.9),), 8192, "Build a.so with unwind tables"),
        ((("damaged frame", 0.9),), 8192, "totals and callers are lower bounds."),
    ],
)  # fmt: skip
def test_many_truncated_stacks_give_a_remedy(
    profile_of: Callable[..., Profile],
    reasons: tuple[tuple[str, float], ...],
    copy_bytes: int,
    remedy: str,
) -> None:
    shares = StackShares(0.1, 0.9, 0.0, reasons)
    profile = profile_of([(("main",), 4)], stack_shares=shares, truncated_share=0.9)
    text = text_of(profile, stacks=structs.replace(RECORDED, copy_bytes=copy_bytes))
    caveat = text[text.index("caution") :].replace("\n" + " " * 11, " ")
    assert remedy in caveat
    assert caveat.count("--stack") == remedy.count("--stack")


def test_shares_that_round_to_0_or_100_percent_are_bounds() -> None:
    shares = StackShares(0.9999, 0.0001, 0.0, (("damaged frame", 0.0001),))
    assert text_of_shares(shares) == "> 99.9 %; truncated < 0.1 %: damaged frame < 0.1 %"
    many = tuple((f"reason {n}", 0.1) for n in range(5))
    assert text_of_shares(StackShares(0.5, 0.5, 0.0, many)).endswith(", other reasons 20.0 %")
    assert text_of_shares(StackShares(1.0, 0.0, 0.0)) == "100.0 %"

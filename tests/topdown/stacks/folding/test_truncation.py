"""Truncated chains: recognized by their end and grouped by reason."""

import math

import numpy as np
import pytest

from topdown.stacks.flame.pruning import prune
from topdown.stacks.folding.fold import FoldOptions, fold
from topdown.stacks.folding.truncation import ChainEnd
from topdown.stacks.profile import FunctionKind, StackShares
from topdown.stacks.ranking import rank
from topdown.stacks.symbols.symbolizer import Symbolizer

REASONS = [
    (ChainEnd.KERNEL_CHAIN, "no frame pointers"),
    (ChainEnd.CUT_BY_COPY, "beyond the copied stack"),
    (ChainEnd.NO_TABLE, "no unwind information in full"),
    (ChainEnd.BAD_FRAME, "damaged frame"),
    (ChainEnd.UNMAPPED, "return into unmapped memory"),
    (ChainEnd.OTHER_STACK, "on another stack"),
    (ChainEnd.TOO_DEEP, "too many frames"),
    (ChainEnd.NO_REGISTERS, "no user registers"),
    (99, "unknown reason"),
]


@pytest.mark.parametrize(("end", "reason"), REASONS)
def test_a_truncated_chain_is_grouped_by_its_reason(shop, sources, made, end, reason):
    capture = shop("plain main", "plain main start", periods=[1000, 3000], ends=[end, end])
    profile = fold(capture, Symbolizer(sources))
    assert made.paths(profile) == {f"[truncated: {reason}];main;plain": 1, "_start;main;plain": 1}
    roots = [f for f in profile.functions if f.kind == FunctionKind.TRUNCATED]
    assert [root.name for root in roots] == [f"[truncated: {reason}]"]
    cut = 0.25 if end == ChainEnd.CUT_BY_COPY else 0.0
    assert profile.stack_shares == StackShares(0.75, 0.25, cut, ((reason, 0.25),))
    assert profile.truncated_share == 0.25


def test_a_chain_unwound_to_its_end_is_complete_with_any_name(shop, sources, made):
    capture = shop("plain unknown", "nowhere", ends=[ChainEnd.COMPLETE, ChainEnd.COMPLETE])
    profile = fold(capture, Symbolizer(sources))
    assert made.paths(profile) == {"full+0x10000000000;plain": 1, "[unknown]+0xdead": 1}
    assert profile.stack_shares == StackShares(1.0, 0.0, 0.0)


def test_a_verified_chain_is_complete_if_its_outermost_function_has_no_name(shop, sources, made):
    """As in a stripped musl: the probe measured 100 %, but no entry function has a name."""
    stacks = ("plain unknown", "plain main", "unknown")
    profile = fold(shop(*stacks), Symbolizer(sources), FoldOptions(verified_pids=frozenset({7})))
    reason = "[truncated: no frame pointers]"
    assert made.paths(profile) == {
        "full+0x10000000000;plain": 1,
        f"{reason};main;plain": 1,
        f"{reason};full+0x10000000000": 1,
    }
    unverified = fold(shop(*stacks), Symbolizer(sources), FoldOptions(verified_pids=frozenset({8})))
    assert unverified.truncated_share == 1.0


def test_a_chain_shared_with_an_unverified_process_is_not_complete(shop, sources, made):
    capture = shop("plain unknown")
    capture.threads = [made.Thread(7, 7), made.Thread(8, 8)]
    capture.stack = np.array([0, 0], np.uint32)
    capture.thread = np.array([0, 1], np.uint32)
    capture.period = np.array([1, 1], np.uint64)
    capture.event = np.zeros(2, np.uint16)
    capture.time_ns = np.array([1, 2], np.uint64)
    profile = fold(capture, Symbolizer(sources), FoldOptions(verified_pids=frozenset({7})))
    assert profile.truncated_share == 1.0


def test_chains_of_kernel_frames_are_complete_only_for_kernel_threads(shop, sources, made):
    capture = shop("worker fork", "syscall", ends=[ChainEnd.NO_REGISTERS, 0])
    profile = fold(capture, Symbolizer(sources))
    assert made.paths(profile) == {
        "ret_from_fork_asm;worker": 1,
        "[truncated: kernel frames only];do_syscall_64": 1,
    }


def test_a_chain_of_the_kernels_maximum_length_names_the_depth_as_reason(shop, sources, made):
    profile = fold(shop(" ".join(["plain"] * 127)), Symbolizer(sources))
    assert profile.stack_shares.reasons == (("deeper than the 127 frames the kernel walks", 1.0),)


def test_the_number_of_named_files_without_unwind_information_is_limited(sources, made):
    count = 40
    objects = [made.Object(b"/lib/lib%d.so" % number) for number in range(count)]
    objects += [made.Object(b"//anon")]
    frames = [(number, 16, 0) for number in range(count + 1)]
    frames += [(-1, 16, 0)]
    samples = [(number, 0, 1 + (number in (3, 40))) for number in range(count + 2)]
    stacks = [[number] for number in range(count + 2)]
    samples += [(3, 0, 1), (40, 0, 1)]
    ends = [ChainEnd.NO_TABLE] * len(stacks)
    profile = fold(made.Capture(frames, stacks, samples, objects, ends=ends), Symbolizer(sources))
    shares = dict(profile.stack_shares.reasons)
    assert "no unwind information in lib3.so" in shares
    assert shares["no unwind information in code generated at run time"] > 2 / 44
    assert profile.stack_shares.reasons[0][0] == "no unwind information in other files"
    assert len(shares) == 13
    assert sum(shares.values()) == pytest.approx(1.0)


def test_equal_frames_with_different_ends_are_two_chains(shop, sources, made):
    capture = shop("plain main", "plain main", ends=[ChainEnd.COMPLETE, ChainEnd.CUT_BY_COPY])
    assert made.paths(fold(capture, Symbolizer(sources))) == {
        "main;plain": 1,
        "[truncated: beyond the copied stack];main;plain": 1,
    }


def test_shares_without_samples_are_not_known(sources, made):
    shares = fold(made.Capture(), Symbolizer(sources)).stack_shares
    assert math.isnan(shares.complete)
    assert math.isnan(shares.truncated)
    assert math.isnan(shares.cut_by_copy)
    assert shares.reasons == ()


def test_groups_of_truncated_chains_are_not_ranked(shop, sources):
    profile = fold(shop("plain main", "plain main start", ""), Symbolizer(sources))
    names = [profile.functions[row.index].name for row in rank(profile).functions]
    assert names == ["plain", "[no stack]", "main", "_start"]
    totals = {profile.functions[row.index].name: row.total_value for row in rank(profile).functions}
    assert totals["main"] == 2000


def test_pruning_keeps_truncated_chains_separate(shop, sources, made):
    deep = " ".join(["plain", "main"] * 20)
    capture = shop(f"{deep} start", "plain main", periods=[1_000_000, 1])
    profile = prune(fold(capture, Symbolizer(sources)), 10)
    assert len(profile.node_parent) <= 10
    assert made.paths(profile) == {
        f"_start{';main;plain' * 2};[stacks too narrow to show]": 1,
        "[truncated: no frame pointers];[stacks too narrow to show]": 1,
    }


def test_kernel_threads_are_complete_even_if_kernel_symbols_are_hidden(shop, sources, made):
    """The same stack is complete in process 2, which has no user code, and truncated in process 7."""
    (sources.recording / "kallsyms").write_bytes(b"0000000000000000 T _stext\n" * 3)
    threads = [made.Thread(7, 7), made.Thread(2, 2)]
    capture = shop("worker fork", "plain main start", threads=threads)
    capture.samples = [(0, 0, 1), (0, 1, 1), (1, 0, 1)]
    capture.__post_init__()
    hidden = "[kernel]+hidden;[kernel]+hidden"
    assert made.paths(fold(capture, Symbolizer(sources))) == {
        hidden: 1,
        f"[truncated: kernel frames only];{hidden}": 1,
        "_start;main;plain": 1,
    }

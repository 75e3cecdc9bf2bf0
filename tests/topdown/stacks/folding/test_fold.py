"""Folding of hand-written captures: trees, weights, unknown and truncated shares."""

import math
import os
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stallscope.errors import UsageError
from topdown.stacks.folding.call_tree import Chains, build_tree
from topdown.stacks.folding.fold import FoldOptions, fold
from topdown.stacks.profile import FunctionKind
from topdown.stacks.ranking import rank
from topdown.stacks.symbols.symbolizer import Symbolizer

pytest.importorskip("stallscope._native", reason="needs the program stallscope._native, built")

USER = 0


def short(name: str) -> str:
    """A function's name without its scope and parameters."""
    return name.split("(", maxsplit=1)[0].rsplit("::", maxsplit=1)[-1]


def test_names_kinds_and_paths(shop, sources, made):
    profile = fold(shop("outer main start", "syscall plain main start"), Symbolizer(sources))
    assert made.paths(profile) == {
        "_start;main;shop::outer(int)": 1,
        "_start;main;plain;do_syscall_64": 1,
    }
    kinds = {function.name: function.kind for function in profile.functions}
    assert kinds["shop::outer(int)"] == FunctionKind.USER
    assert kinds["do_syscall_64"] == FunctionKind.KERNEL
    assert profile.functions[int(profile.node_function[0])].kind == FunctionKind.ROOT
    assert profile.truncated_share == profile.unknown_share == 0
    assert profile.source.unit == "ns"
    assert int(profile.weight_value.sum()) == 2000
    assert profile.duration_s == 1.0


def test_module_of_a_kernel_module_is_its_name(shop, sources):
    profile = fold(shop("worker fork"), Symbolizer(sources))
    modules = {function.name: function.module for function in profile.functions}
    assert (modules["worker"], modules["ret_from_fork_asm"]) == ("[ext4]", "[kernel]")


def test_unknown_and_truncated_shares_are_of_the_weight(shop, sources):
    capture = shop(
        "unknown main start", "plain main", "worker fork", "syscall", "nowhere",
        periods=[1000, 2000, 4000, 8000, 16000],
    )  # fmt: skip
    profile = fold(capture, Symbolizer(sources))
    assert profile.unknown_share == pytest.approx((1000 + 16000) / 31000)
    assert profile.truncated_share == pytest.approx((2000 + 8000 + 16000) / 31000)
    unknown = [f for f in profile.functions if f.kind == FunctionKind.UNKNOWN]
    assert {f.name for f in unknown} == {"full+0x10000000000", "[unknown]+0xdead"}


def test_a_sample_without_a_stack_is_counted(shop, sources, made):
    profile = fold(shop("plain main start", ""), Symbolizer(sources))
    assert made.paths(profile) == {
        "_start;main;plain": 1,
        "[truncated: no stack];[no stack]": 1,
    }
    assert profile.unknown_share == profile.truncated_share == 0.5


def test_kernel_scope_does_not_expect_user_frames(shop, sources, made):
    capture = shop("syscall", attributes=[made.Attribute(exclude_user=True)])
    profile = fold(capture, Symbolizer(sources))
    assert (profile.source.scope, profile.truncated_share) == ("kernel", 0.0)


def test_hidden_kernel_symbols_give_a_warning_with_a_remedy(shop, sources, made):
    (sources.recording / "kallsyms").write_bytes(b"0000000000000000 T _stext\n" * 3)
    threads = [made.Thread(7, 7), made.Thread(2, 2)]
    capture = shop("syscall plain main start", "worker fork", threads=threads)
    capture.thread = np.array([0, 1], np.uint32)
    profile = fold(capture, Symbolizer(sources))
    warning = next(w for w in profile.warnings if w.code == "kernel-symbols-hidden")
    assert "kptr_restrict" in warning.message
    assert "[kernel]+hidden" in {function.name for function in profile.functions}
    assert profile.unknown_share == 1.0
    assert profile.truncated_share == 0.0  # process 2 never left the kernel


def test_kernel_symbols_of_another_boot_are_not_used(shop, sources):
    (sources.recording / "kallsyms").unlink()
    profile = fold(shop("syscall plain main start"), Symbolizer(sources))
    assert "kernel-symbols-missing" in {warning.code for warning in profile.warnings}
    assert "[kernel]+0xffffffff81000110" in {function.name for function in profile.functions}


def test_the_first_event_with_samples_is_shown_with_a_warning_about_others(shop, sources, made):
    attributes = [made.Attribute("a"), made.Attribute("cycles", type=0), made.Attribute("c")]
    stacks = ("plain main start", "outer main start", "main start")
    capture = shop(*stacks, attributes=attributes, events=[1, 1, 2])
    profile = fold(capture, Symbolizer(sources))
    assert (profile.source.event, profile.source.unit, profile.samples) == ("cycles", "events", 2)
    assert "c (1 samples)" in next(w for w in profile.warnings if w.code == "other-events").message
    assert fold(capture, Symbolizer(sources), FoldOptions(event="c")).samples == 1
    assert fold(capture, Symbolizer(sources), FoldOptions(event=0)).samples == 0
    with pytest.raises(UsageError, match="no event"):
        fold(capture, Symbolizer(sources), FoldOptions(event="none"))


def test_attributes_that_differ_only_in_stack_sampling_are_one_event(shop, sources, made):
    """As if stacks are copied for some processes only."""
    attributes = [made.Attribute(), made.Attribute(), made.Attribute(exclude_kernel=True)]
    attributes += [made.Attribute("branches", type=0, config=4)]
    stacks = ("plain main start", "outer main start", "main start", "main start", "plain start")
    capture = shop(*stacks, attributes=attributes, events=[1, 0, 2, 1, 3])
    profile = fold(capture, Symbolizer(sources))
    assert (profile.samples, int(profile.weight_value.sum())) == (3, 3000)
    message = next(w.message for w in profile.warnings if w.code == "other-events")
    assert "cpu-clock (1 samples), branches (1 samples)" in message
    assert fold(capture, Symbolizer(sources), FoldOptions(event="cpu-clock")).samples == 3
    assert fold(capture, Symbolizer(sources), FoldOptions(event=1)).samples == 3
    assert fold(capture, Symbolizer(sources), FoldOptions(event=2)).samples == 1


def test_an_empty_capture_gives_an_empty_profile(sources, made):
    profile = fold(made.Capture(attributes=[]), Symbolizer(sources))
    assert profile.samples == 0
    assert math.isnan(profile.unknown_share)
    assert math.isnan(profile.truncated_share)
    assert len(rank(profile).functions) == 0


def test_samples_without_periods_count_as_1_and_implausible_periods_are_cut(shop, sources):
    profile = fold(shop("plain main start", periods=[0]), Symbolizer(sources))
    assert int(profile.weight_value.sum()) == 1
    assert "no-periods" in {warning.code for warning in profile.warnings}
    capture = shop("plain main start", "main start")
    capture.period = np.array([2**64 - 1, 5], np.uint64)
    profile = fold(capture, Symbolizer(sources))
    assert "periods-cut" in {warning.code for warning in profile.warnings}
    assert int(profile.weight_value.sum()) > 0


def test_hostile_names_of_threads_are_decoded(shop, sources, made):
    capture = shop("plain main start", threads=[made.Thread(1, 2, b"\xff<script>", b"\xfe")])
    thread = fold(capture, Symbolizer(sources)).threads[0]
    assert (thread.thread_name, thread.process_name) == ("\ufffd<script>", "\ufffd")


def test_recursion_counts_once_in_a_total(shop, sources):
    profile = fold(shop("plain main plain main start"), Symbolizer(sources))
    totals = {profile.functions[row.index].name: row.total_value for row in rank(profile).functions}
    assert totals == {"_start": 1000, "main": 1000, "plain": 1000}


def test_inlined_functions_are_children_of_the_function_that_contains_them(
    shop, sources, programs, made
):
    """Every address of outer(), as addr2line sees it."""
    address = made.symbol_addresses(programs.full)["_ZN4shop5outerEi"]
    offset = made.file_offset(programs, "_ZN4shop5outerEi") - 1
    frames = [(0, offset + step, USER) for step in range(40)]
    objects = [made.Object(os.fsencode(programs.full), programs.build_id)]
    stacks = [[index] for index in range(len(frames))]
    capture = made.Capture(frames, stacks, [(i, 0, 1) for i in range(len(frames))], objects)
    capture.stack_end[:] = 1  # complete
    profile = fold(capture, Symbolizer(sources), FoldOptions(lines=1000))
    # addr2line shows the symbol's name for the innermost function: only its callers are compared.
    expected: Counter[tuple[str, ...]] = Counter()
    for step in range(40):
        text = made.run("addr2line", "-ifC", "-e", programs.full, hex(address + step))
        expected[tuple(short(name) for name in text.splitlines()[2::2][::-1])] += 1
    counts: Counter[tuple[str, ...]] = Counter()
    for path, samples in made.paths(profile).items():
        counts[tuple(short(name) for name in path.split(";")[:-1])] += samples
    assert counts == expected
    assert {len(path) for path in counts} == {0, 1, 2}
    inlined = [f for f in profile.functions if f.kind == FunctionKind.INLINED]
    assert {short(f.name) for f in inlined} == {"innermost", "middle"}
    assert all("shop.cc:" in line for f in inlined for line, _ in f.lines)
    assert sum(count for f in profile.functions for _, count in f.lines) == 40
    alone = fold(capture, Symbolizer(sources), FoldOptions(inlined=1000))
    assert made.paths(alone) == made.paths(profile)
    assert not any(function.lines for function in alone.functions)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 4), max_size=6), max_size=20))
def test_a_tree_contains_exactly_its_chains(chains):
    offset = np.cumsum([0, *(len(chain) for chain in chains)]).astype(np.int64)
    flat = np.array([function for chain in chains for function in chain], np.int64)
    tree = build_tree(Chains(offset, flat), 99)
    assert (tree.parent[1:] < np.arange(1, len(tree.parent))).all()
    pairs = list(zip(tree.parent.tolist(), tree.function.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    for chain, leaf in zip(chains, tree.leaf.tolist(), strict=True):
        path, at = [], leaf
        while at > 0:
            path.append(int(tree.function[at]))
            at = int(tree.parent[at])
        assert path[::-1] == chain

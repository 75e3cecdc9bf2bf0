"""Names, kinds and modules of sampled addresses."""

import numpy as np

from topdown.stacks.folding.fold import fold
from topdown.stacks.profile import FunctionKind
from topdown.stacks.symbols.symbolizer import Symbolizer


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


def test_hostile_names_of_threads_are_decoded(shop, sources, made):
    capture = shop("plain main start", threads=[made.Thread(1, 2, b"\xff<script>", b"\xfe")])
    thread = fold(capture, Symbolizer(sources)).threads[0]
    assert (thread.thread_name, thread.process_name) == ("\ufffd<script>", "\ufffd")

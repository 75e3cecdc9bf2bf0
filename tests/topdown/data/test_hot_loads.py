"""Leaf frames and the kinds of samples of a capture."""

from pathlib import Path

import numpy as np

from stallscope._native import read_capture
from topdown.data.hot_loads import hot_loads, leaf_frames
from topdown.data.load_kinds import LoadKind
from topdown.stacks.symbols.sources import SymbolSources

CAPTURES = Path(__file__).parents[2] / "captures"


def test_the_leaf_frame_of_a_sample_is_the_first_of_its_stack() -> None:
    capture = read_capture(CAPTURES / "file.perf")
    leaves = leaf_frames(capture)
    assert len(leaves) == len(capture.stack) > 0
    for sample, leaf in enumerate(leaves.tolist()):
        start, end = capture.stack_offset[capture.stack[sample] : capture.stack[sample] + 2]
        assert leaf == (capture.stack_frame[start] if end > start else -1)


def test_samples_of_binaries_that_are_gone_are_untyped(tmp_path: Path) -> None:
    capture = read_capture(CAPTURES / "file.perf")
    chosen = np.arange(len(capture.stack))
    sources = SymbolSources(proc=tmp_path)
    loads = hot_loads(capture, chosen, sources, after=True)
    assert loads.kinds == {LoadKind.UNTYPED: len(chosen)}
    assert (loads.samples, loads.loads, loads.fields) == (len(chosen), 0, ())

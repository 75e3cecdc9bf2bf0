"""The lengths of idle intervals as a picture, with matplotlib: a histogram for each state."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from cstates.idle.run import IdleRun, RecordedState
from harness.cli.terminal import printable
from harness.cstates.record.analysis import idle_run, state_name
from harness.cstates.record.histogram import BINS, length_text, octaves
from harness.cstates.record.result import IdleResult
from harness.page.pictures import picture_bytes
from stallscope.errors import UnableError
from stallscope.histograms import Histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH_INCHES, _STATE_INCHES, _TITLE_INCHES = 9.0, 2.2, 0.8


def lengths_picture(result: IdleResult, file_format: str) -> bytes:
    """Return the picture as SVG or PNG; UnableError if no interval was traced."""
    run = idle_run(result)
    histograms = [
        (state, lengths)
        for state in run.all_states
        if (lengths := run.lengths_of(state.index)) is not None
    ]
    if not histograms:
        raise UnableError(
            "no picture: no idle interval was traced",
            "record with tracepoints, which needs root, while CPUs are idle",
        )
    size = (_WIDTH_INCHES, _TITLE_INCHES + _STATE_INCHES * len(histograms))
    return picture_bytes(partial(_draw, run, histograms), file_format, size)


def _draw(
    run: IdleRun, histograms: list[tuple[RecordedState, Histogram]], figure: "Figure"
) -> None:
    target = " ".join(run.command) or "all CPUs"
    figure.suptitle(printable(f"Idle intervals of {target} by state (measured)"), fontsize=11)
    rows = figure.subplots(len(histograms), 1, sharex=True, squeeze=False)
    for axes, (state, lengths) in zip(rows[:, 0], histograms, strict=True):
        _draw_state(axes, state_name(run, state.index), state.target_residency_us, lengths)
    rows[-1, 0].set_xticks(range(0, BINS, 2), [length_text(octave) for octave in range(0, BINS, 2)])
    rows[-1, 0].set_xlabel("length of the interval (dotted: target residency)")


def _draw_state(axes: "Axes", name: str, target_us: int | None, lengths: Histogram) -> None:
    axes.bar(np.arange(BINS) + 0.5, octaves(lengths), width=0.9, color="#0072b2")
    axes.set_xlim(0, BINS)
    axes.set_ylabel(f"{name}\nintervals")
    axes.grid(visible=True, axis="y", alpha=0.3)
    if target_us:
        position = min(max(float(np.log2(target_us)), 0.0), float(BINS))
        axes.axvline(position, color="#555555", linestyle=":", linewidth=1)

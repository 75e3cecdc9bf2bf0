"""Python frames in words: share of samples with frames, other samples by reason, and the GIL."""

from harness.cli.terminal import percent
from harness.profile.result import PythonResult


def python_text(python: PythonResult) -> str:
    """Return the shares of Python samples in one line."""
    parts = []
    if python.samples:
        versions = ", ".join(python.versions)
        parts.append(
            f"{percent(python.framed_share or 0.0)} of the samples of CPython {versions} have "
            "Python frames"
        )
        others = (
            (python.native_share, "have no interpreter on their stacks"),
            (python.moved_on_share, "moved on before the frames were read"),
            (python.unread_share, "were not read"),
        )
        parts += [f"{percent(share)} {reason}" for share, reason in others if share]
        if python.gil_held_share is not None:
            parts.append(f"GIL held in {percent(python.gil_held_share)}")
    if python.trampolined_processes == 1:
        parts.append("1 process names its functions by perf trampolines")
    elif python.trampolined_processes:
        count = python.trampolined_processes
        parts.append(f"{count} processes name their functions by perf trampolines")
    return "; ".join(parts)

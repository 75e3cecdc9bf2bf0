"""How the observed command's own end shows in our messages and exit code."""

from harness.cli.terminal import warn
from stallscope.collector import CollectionEnd
from stallscope.errors import ExitCode
from stallscope.recordings import Manifest

# Ends that the user or the options asked for: the command's status then says nothing.
ASKED_FOR = ("duration", "signal", "stopped", "control closed")


def failed(manifest: Manifest, outcome: CollectionEnd) -> bool:
    """Return whether the command, left to itself, ended with a failure."""
    return (
        manifest.target.kind == "command"
        and manifest.target_status not in ("", "exited 0")
        and manifest.end_reason not in ASKED_FOR
        and not outcome.interrupted
    )


def explain(manifest: Manifest, outcome: CollectionEnd, *, kept: bool = True) -> None:
    """Warn where the command failed; what was measured, and the recording if kept, is whole."""
    if failed(manifest, outcome):
        whole = "its recording is kept and whole" if kept else "what was measured is whole"
        warn(f"the command failed ({manifest.target_status}); {whole}")


def exit_code(manifest: Manifest, outcome: CollectionEnd) -> int:
    """Return the exit code: the collector's own finding first, then the command's failure."""
    if outcome.exit_code:
        return outcome.exit_code
    return int(ExitCode.TARGET_FAILED if failed(manifest, outcome) else ExitCode.DONE)

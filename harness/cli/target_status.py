"""The end of the observed command, in messages and in the exit code."""

from harness.cli.terminal import warn
from stallscope.collector import CollectionEnd
from stallscope.errors import ExitCode
from stallscope.recordings import Manifest

# Ends by an option or the user, after which the command's status means nothing.
REQUESTED_ENDS = ("duration", "signal", "stopped", "control closed")


def failed(manifest: Manifest, outcome: CollectionEnd) -> bool:
    """Return whether the command ended with a failure that the recorder did not cause."""
    return (
        manifest.target.kind == "command"
        and manifest.target_status not in ("", "exited 0")
        and manifest.end_reason not in REQUESTED_ENDS
        and not outcome.interrupted
    )


def explain(manifest: Manifest, outcome: CollectionEnd, *, kept: bool = True) -> None:
    """Warn if the command failed; the measurement, and a kept recording, are complete."""
    if failed(manifest, outcome):
        result = "recording" if kept else "measurement"
        warn(f"the command failed ({manifest.target_status}); its {result} is complete")


def exit_code(manifest: Manifest, outcome: CollectionEnd) -> int:
    """Return the exit code of the collector, or that of a failed command."""
    if outcome.exit_code:
        return outcome.exit_code
    return int(ExitCode.TARGET_FAILED if failed(manifest, outcome) else ExitCode.DONE)

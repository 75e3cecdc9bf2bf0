"""Modelled slots of a command, from further runs of it after the recording."""

from collections.abc import Sequence
from pathlib import Path

from harness.cli.outputs import write_whole
from harness.cli.terminal import LiveLine, note
from harness.diagnose.counters import MODELLED
from harness.topdown.result import topdown_result
from stallscope.documents import encode
from stallscope.errors import StallscopeError


def model_slots(command: Sequence[str], recording: Path) -> str:
    """Write the modelled slots of a command into a recording; return why there are none."""
    from topdown.slots.modelled.command import measure_command  # noqa: PLC0415 - the simulation

    note("no hardware counters: the command runs again, to model its slots by simulation")
    line = LiveLine()
    try:
        measurement = measure_command(command, on_progress=line.show, on_note=note, silent=True)
    except StallscopeError as error:
        remedy = f"; {error.remedy}" if error.remedy else ""
        return f"the slots could not be modelled: {error.message}{remedy}"
    finally:
        line.clear()
    write_whole(recording / MODELLED, [encode(topdown_result(measurement), indent=1) + "\n"])
    return ""

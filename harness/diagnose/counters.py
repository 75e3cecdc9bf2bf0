"""Hardware counters of a target, counted by a second collector while the first one samples.

The counts are a recording of counters below the recording: ``counters/``. Only events of nodes
that a rule reads are counted, to need few groups.
"""

import os
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from harness.diagnose.slots import node_names
from harness.machine_checks.check import Status
from harness.topdown.result import TopdownResult, topdown_result
from harness.topdown.sources import pmu_check
from stallscope.collector import CountOptions, collector_arguments
from stallscope.documents import read_document
from stallscope.errors import StallscopeError, UnableError
from stallscope.process_end import end_process
from stallscope.system_files import Roots
from topdown.slots.counting.plan import CountingPlan
from topdown.slots.counting.plan_file import Subject

FOLDER = "counters"
MODELLED = "modelled-slots.json"
END_LIMIT_S = 10.0


def why_no_counters(roots: Roots) -> str:
    """Return why slots cannot be counted on this machine, with the remedy; empty if they can."""
    check = pmu_check(roots)
    if check.status is Status.UNAVAILABLE:
        return f"{check.detail}; {check.remedy}" if check.remedy else check.detail
    try:
        if counting_plan(roots)[1].model is None:
            return "this CPU has no model of slots"
    except UnableError as error:  # several kinds of cores
        return error.message
    return ""


def counting_plan(roots: Roots) -> tuple[CountingPlan, Subject]:
    """Return the events of all nodes that rules read. Raises UnableError without a core PMU."""
    from topdown.slots.counting.session import (  # noqa: PLC0415 - numpy
        CountingRequest,
        plan_of_subject,
        subject_of,
    )

    request = CountingRequest(CountOptions(output=Path(), plan=Path()), level=1)
    subject = subject_of(request, roots)
    if subject.model is not None:
        names = node_names()
        nodes = tuple(name for name in subject.model.nodes if name.lower() in names)
        subject = replace(subject, nodes=tuple(dict.fromkeys((*subject.nodes, *nodes))))
    return plan_of_subject(subject), subject


class CountersRecorder:
    """Counts from start() to stop(). ``failure``: why nothing was counted."""

    def __init__(self, recording: Path, roots: Roots = Roots()) -> None:  # noqa: B008 - immutable
        """Prepare the counting of a target into a recording's directory."""
        self.failure = ""
        self._recording, self._roots = recording, roots
        self._process: subprocess.Popen[bytes] | None = None
        self._control = -1

    def start(self, pids: tuple[int, ...]) -> None:
        """Start a collector for the processes of the target."""
        if self._process is not None or not pids:
            return
        from topdown.slots.counting.plan_file import write_plan  # noqa: PLC0415 - numpy

        plan, subject = counting_plan(self._roots)
        with tempfile.NamedTemporaryFile(prefix="stallscope-", suffix=".json") as file:
            write_plan(Path(file.name), plan, subject)
            options = CountOptions(
                output=self._recording / FOLDER, plan=Path(file.name), pids=pids, force=True
            )
            try:
                self._launch(options)
            except OSError as error:
                self.failure = f"the counting could not start: {error.strerror}"

    def _launch(self, options: CountOptions) -> None:
        """Start the collector, and wait until it has read its plan and opened its counters."""
        progress_read, progress_write = os.pipe()
        control_read, self._control = os.pipe()
        try:
            self._process = subprocess.Popen(
                collector_arguments(options, progress_write, control_read),
                pass_fds=(progress_write, control_read),
                process_group=0,  # Ctrl-C ends the other collector, and this one by stop()
            )
        finally:
            os.close(progress_write)
            os.close(control_read)
        with open(progress_read, "rb") as progress:
            for line in progress:
                if b'"started"' in line or b'"error"' in line:
                    break

    def stop(self) -> None:
        """End the counting and close its recording."""
        if self._process is None:
            return
        os.close(self._control)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_LIMIT_S)
        end_process(self._process)
        if self._process.returncode:
            self.failure = f"the counting ended with status {self._process.returncode}"


def recorded_slots(recording: Path) -> tuple[TopdownResult | None, str]:
    """Return the slots of a recording, counted or modelled, and why there are none."""
    if (recording / MODELLED).is_file():
        return read_document(recording / MODELLED, TopdownResult), ""
    folder = recording / FOLDER
    if not folder.is_dir():
        return None, ""
    from topdown.slots.counting.analysis import measurement_of  # noqa: PLC0415 - numpy
    from topdown.slots.counting.counting_run import read_counting_run  # noqa: PLC0415

    try:
        return topdown_result(measurement_of([read_counting_run(folder)])), ""
    except StallscopeError as error:
        return None, error.message

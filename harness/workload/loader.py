"""The loader as a child process: run in the background, or waited for."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from harness.workload.options import LoadOptions
from harness.workload.process import (
    ChildProcess,
    decode_line,
    exit_error,
    read_first_line,
    running_program,
)
from harness.workload.results import LoadResult, LoadSecond
from stallscope.documents import Record, read_document
from stallscope.errors import ExitCode, TargetError
from stallscope.interrupts import count_interrupts

PROGRAM = "stallscope-load"
DOCUMENT = "load.json"


def _ignore_second(second: LoadSecond) -> None:
    del second


class _EventRecord(Record, frozen=True):
    event: str = ""


@dataclass(frozen=True, slots=True)
class RunningLoad:
    """A running loader; its pipe buffers the output until ``finish`` reads it."""

    options: LoadOptions
    child: ChildProcess

    def wait_started(self) -> None:
        """Return once the loader sends requests; ``stop`` has no effect before that.

        Raises the loader's own error if it cannot begin.
        """
        read_first_line(self.child, _EventRecord)

    def finish(self, on_second: Callable[[LoadSecond], None] = _ignore_second) -> LoadResult:
        """Return the result after the end of the run; ``on_second`` receives every second.

        Raises the loader's own error if it failed, TargetError if its check failed.
        """
        for line in self.child.stdout:
            if decode_line(line, _EventRecord, PROGRAM).event == "second":
                on_second(decode_line(line, LoadSecond, PROGRAM))
        status = self.child.process.wait()
        document = self.options.output / DOCUMENT
        if status not in (0, ExitCode.TARGET_FAILED) or not document.is_file():
            raise exit_error(self.child)
        result = read_document(document, LoadResult)
        if status:
            raise _check_error(result)
        return result

    def finished_rate(
        self, on_second: Callable[[LoadSecond], None] = _ignore_second
    ) -> tuple[LoadResult, float]:
        """Return the result and its rate; raises TargetError if nothing was measured."""
        result = self.finish(on_second)
        if result.achieved_rate_per_s is None:
            raise TargetError(
                f"no request to {self.options.target} was measured", "use a longer --duration"
            )
        return result, result.achieved_rate_per_s

    def stop(self) -> None:
        """Stop the loader early; it then writes the result so far."""
        with suppress(ProcessLookupError):
            self.child.process.send_signal(signal.SIGINT)


def _check_error(result: LoadResult) -> TargetError:
    counts = [f"{count} {name}" for name, count in result.check_counts.items() if count]
    return TargetError(
        f"the target's replies do not match its requests: {', '.join(counts) or result.why}",
        "each request carries a number that its reply must return; load.json has the counts",
    )


def fill_keys(options: LoadOptions) -> None:
    """Set every key of a load once; the loader's files go to a directory beside its output."""
    fill_options = replace(
        options,
        output=options.output.with_name(f"{options.output.name}-fill"),
        fill=True,
        duration_s=0.01,
        warmup_s=0.0,
        rate_per_s=None,
        request_file=None,
        phases=None,
    )
    with running_load(fill_options) as load:
        load.finish()


@contextmanager
def running_load(options: LoadOptions) -> Iterator[RunningLoad]:
    """Run the loader until the end of the block."""
    descriptors = () if options.phases is None else (options.phases,)
    with running_program(PROGRAM, options.arguments(), descriptors=descriptors) as child:
        yield RunningLoad(options, child)


def run_load(
    options: LoadOptions, on_second: Callable[[LoadSecond], None] = _ignore_second
) -> tuple[LoadResult, bool]:
    """Return the result of a run, and whether Ctrl-C ended it early; a second Ctrl-C aborts it."""
    with running_load(options) as load, count_interrupts(load.stop) as interrupts:
        return load.finish(on_second), interrupts.count > 0

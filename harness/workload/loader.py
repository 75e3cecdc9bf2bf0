"""The loader as a child: run in the background or followed to its end."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from harness.workload.options import LoadOptions
from harness.workload.process import Child, failure, first_line, json_line, started
from harness.workload.results import LoadResult, LoadSecond
from stallscope.errors import ExitCode, TargetError
from stallscope.interrupts import ctrl_c_counted
from stallscope.json_fields import read_fields

PROGRAM = "stallscope-load"
DOCUMENT = "load.json"


def _not_shown(second: LoadSecond) -> None:
    del second


@dataclass(frozen=True, slots=True)
class RunningLoad:
    """A loader at work; its pipe holds what it says until it is followed."""

    options: LoadOptions
    child: Child

    def wait_begun(self) -> None:
        """Return once requests are sent; before that it could not be asked to stop.

        Raises what the loader says where it cannot begin.
        """
        first_line(self.child)

    def finish(self, on_second: Callable[[LoadSecond], None] = _not_shown) -> LoadResult:
        """Return what the run found, when it has ended; each second is passed on.

        Raises what the loader says where it failed, TargetError where its check failed.
        """
        for line in self.child.lines:
            message = json_line(line, PROGRAM)
            if message.text("event", "") == "second":
                on_second(LoadSecond.of(message))
        status = self.child.process.wait()
        document = self.options.output / DOCUMENT
        if status not in (0, ExitCode.TARGET_FAILED) or not document.is_file():
            raise failure(self.child)
        result = LoadResult.of(read_fields(document))
        if status:
            raise _unanswered(result)
        return result

    def finished_rate(self) -> tuple[LoadResult, float]:
        """Return what the run found, and its rate; TargetError where nothing was measured."""
        result = self.finish()
        if result.rate_achieved is None:
            raise TargetError(
                f"nothing was measured of {self.options.target}", "measure for a longer time"
            )
        return result, result.rate_achieved

    def stop(self) -> None:
        """Ask the loader to end now and to tell what it has found so far."""
        with suppress(ProcessLookupError):
            self.child.process.send_signal(signal.SIGINT)


def _unanswered(result: LoadResult) -> TargetError:
    counts = [
        f"{result.document[name]} {name}"
        for name in ("lost", "doubled", "reordered", "foreign")
        if result.document.get(name)
    ]
    return TargetError(
        f"the target's replies were not those of its requests: {', '.join(counts) or result.why}",
        "every request carries a number that its reply must return; look at load.json",
    )


def fill_keys(options: LoadOptions) -> None:
    """Set every key of a load once, before it is measured; the loader's files go beside its own."""
    once = replace(
        options,
        output=options.output.with_name(f"{options.output.name}-fill"),
        fill=True,
        duration_s=0.01,
        warmup_s=0.0,
        rate_per_s=None,
        request_file=None,
    )
    with loading(once) as load:
        load.finish()


@contextmanager
def loading(options: LoadOptions) -> Iterator[RunningLoad]:
    """Run the loader until the end of the block."""
    with started(PROGRAM, options.arguments()) as child:
        yield RunningLoad(options, child)


def run_load(
    options: LoadOptions, on_second: Callable[[LoadSecond], None] = _not_shown
) -> tuple[LoadResult, bool]:
    """Return what a run found, and whether Ctrl-C ended it early; a second Ctrl-C gives it up."""
    with loading(options) as load, ctrl_c_counted(load.stop) as interrupts:
        return load.finish(on_second), interrupts.count > 0

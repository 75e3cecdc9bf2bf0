"""Runs of `stallscope pin`, `pin status` and `pin restore`."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from cstates.pinning.claims import claim_level, default_run_folder, run_folder
from cstates.pinning.plan import PinPlan, make_plan
from cstates.pinning.request import PinRequest
from cstates.pinning.restoring import JournalRestore, RestoredSetting, RestoreStatus
from cstates.pinning.session import PinContext, PinListener, run_pinned
from cstates.pinning.status import read_status
from cstates.sysfs import machine_roots
from harness.cli.brief import document_text
from harness.cli.terminal import note, printable, warn
from harness.pin.result import plan_result, restore_result, status_result
from harness.pin.text import plan_lines, restore_result_lines, run_lines, status_lines
from stallscope.documents import Document
from stallscope.errors import UnableError


def pin_context(values: dict[str, Any], name: str) -> PinContext:
    """Return the machine that the options select, and the folder of its journals."""
    roots = machine_roots(values["sysfs_root"], values["proc_root"])
    run_root: Path | None = values["run_root"]
    return PinContext(roots, run_root or default_run_folder(roots), name)


def show_plan(context: PinContext, request: PinRequest, *, as_json: bool) -> None:
    """Print the changes without making them."""
    result = plan_result(make_plan(context.roots, request))
    _print(result, plan_lines(result), as_json=as_json)
    _write_each((*result.warnings, *_left_over_warning(context)), warn)


def _left_over_warning(context: PinContext) -> tuple[str, ...]:
    with suppress(UnableError):  # the folder is not readable without root
        pins = read_status(context.roots, context.run_folder)
        if any(not pin.held and not pin.other_boot for pin in pins):
            return ("a killed pin left its values: stallscope pin restores them before it plans",)
    return ()


def run_and_report(
    context: PinContext, request: PinRequest, command: Sequence[str], *, allow_partial: bool
) -> int:
    """Return the command's status; the plan and the result are written to stderr."""

    def on_plan(plan: PinPlan) -> None:
        result = plan_result(plan)
        _write_each(plan_lines(result), note)
        _write_each(result.warnings, warn)

    listener = PinListener(on_plan, warn)
    run = run_pinned(context, request, command, allow_partial=allow_partial, listener=listener)
    _write_each(run_lines(run), note)
    check_restored((run.restored,))
    return run.status


def show_status(context: PinContext, *, as_json: bool) -> None:
    """Print the pins, their owners, and whether they still hold."""
    result = status_result(read_status(context.roots, context.run_folder))
    _print(result, status_lines(result), as_json=as_json)


def restore_and_report(context: PinContext, *, as_json: bool) -> None:
    """Restore what killed pins left behind, and print the result."""
    with (
        run_folder(context.run_folder, context.roots) as folder,
        claim_level(folder, context.roots, context.name) as claim,
    ):
        journals = claim.recovered
    result = restore_result(journals)
    _print(result, restore_result_lines(result), as_json=as_json)
    _check([setting for journal in journals for setting in journal.pending])


def check_restored(journals: Iterable[JournalRestore]) -> None:
    """Raise UnableError if a setting could not be restored, except of CPUs that went offline."""
    _check([setting for run in journals for setting in run.with_status(RestoreStatus.FAILED)])


def _check(pending: Sequence[RestoredSetting]) -> None:
    if pending:
        raise UnableError(
            f"could not be restored: {', '.join(setting.change.path for setting in pending)}",
            "try again with stallscope pin restore; the journal is kept until the next boot",
        )


def _write_each(texts: Iterable[str], write: Callable[[str], None]) -> None:
    for text in texts:
        write(text)


def _print(result: Document, lines: Sequence[str], *, as_json: bool) -> None:
    click.echo(document_text(result) if as_json else "\n".join(map(printable, lines)))

"""What `stallscope pin` does once its options are read: show a plan, run a command, put back."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from cstates.pinning.claims import claim, default_run_folder, run_folder
from cstates.pinning.plan import Plan, make_plan
from cstates.pinning.request import PinRequest
from cstates.pinning.restoring import Fate, Restored
from cstates.pinning.session import Listener, Place, run_pinned
from cstates.pinning.status import read_status
from cstates.sysfs import machine_roots
from harness.cli.terminal import note, printable, warn
from harness.pin import documents
from harness.pin import text as lines
from stallscope.errors import UnableError


def chosen_place(values: dict[str, Any], name: str) -> Place:
    """Return the machine that the options choose, and where its journals are."""
    roots = machine_roots(values["sysfs_root"], values["proc_root"])
    run_root: Path | None = values["run_root"]
    return Place(roots, run_root or default_run_folder(roots), name)


def show_plan(place: Place, request: PinRequest, *, as_json: bool) -> None:
    """Print what would be changed; change nothing."""
    plan = make_plan(place.roots, request)
    _print(as_json, lambda: documents.plan_document(plan), lambda: lines.plan_lines(plan))
    _tell((*plan.warnings, *_left_over(place)), warn)


def _left_over(place: Place) -> tuple[str, ...]:
    with suppress(UnableError):  # an ordinary user may not look
        pins = read_status(place.roots, place.run_folder)
        if any(not pin.held and not pin.other_boot for pin in pins):
            return (
                "a killed pin has left its values: stallscope pin puts them back before it plans",
            )
    return ()


def run_and_report(
    place: Place, request: PinRequest, words: Sequence[str], *, allow_partial: bool
) -> int:
    """Return the command's status; the plan before it and what came of it go to stderr."""

    def announce(plan: Plan) -> None:
        _tell(lines.plan_lines(plan), note)
        _tell(plan.warnings, warn)

    to = Listener(announce, warn)
    result = run_pinned(place, request, words, allow_partial=allow_partial, to=to)
    _tell(lines.result_lines(result), note)
    check_put_back((result.restored,))
    return result.status


def show_status(place: Place, *, as_json: bool) -> None:
    """Print what is pinned, by whom, and whether it still holds."""
    pins = read_status(place.roots, place.run_folder)
    _print(as_json, lambda: documents.status_document(pins), lambda: lines.status_lines(pins))


def restore_and_report(place: Place, *, as_json: bool) -> None:
    """Put back what killed pins left behind, and print what became of it."""
    with (
        run_folder(place.run_folder, place.roots) as folder,
        claim(folder, place.roots, place.name) as ours,
    ):
        done = ours.recovered
    said = [line for each in done for line in lines.restored_lines(each)]
    count = sum(len(each.of(Fate.RESTORED)) for each in done)
    said.append(f"{count} settings put back" if done else "nothing was left over")
    _print(as_json, lambda: documents.restored_document(done), lambda: said)
    check_put_back(done)


def check_put_back(done: tuple[Restored, ...]) -> None:
    """Raise UnableError where a setting could not be put back."""
    failed = [one.change.path for each in done for one in each.of(Fate.FAILED)]
    if failed:
        raise UnableError(
            f"could not be put back: {', '.join(failed)}",
            "stallscope pin restore tries again; its journal is kept",
        )


def _tell(told: Sequence[str], how: Callable[[str], None]) -> None:
    for line in told:
        how(line)


def _print(
    as_json: bool, document: Callable[[], dict[str, Any]], text: Callable[[], list[str]]
) -> None:
    click.echo(json.dumps(document()) if as_json else "\n".join(map(printable, text())))

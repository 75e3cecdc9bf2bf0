"""Plans, results and the status of pins for a terminal."""

import re
from collections.abc import Iterable, Iterator

from cstates.pinning.effects import Effect, EffectCheck
from cstates.pinning.restoring import JournalRestore, RestoreStatus
from cstates.pinning.session import PinnedRun
from harness.pin.result import (
    PinPlanResult,
    PinRestoreResult,
    PinStatusResult,
    PlannedChange,
    RestoredJournal,
    restored_journal,
)
from stallscope.cpu_lists import format_cpu_list

_NUMBERED = re.compile(r"(.*?/(?:cpu|policy|irq/))([0-9]+)(/.*)")


def plan_lines(result: PinPlanResult) -> list[str]:
    """Return a plan in the order of its changes; changes that differ by CPU only share a line."""
    lines = [f"pin: CPUs {format_cpu_list(result.cpus)}"]
    if result.siblings:
        lines[0] += f", and their siblings {format_cpu_list(result.siblings)}"
    if not result.plan:
        complete = not result.partial and not result.left_out
        reason = ": all settings have the requested values" if complete else ""
        lines.append(f"  nothing to change{reason}")
    lines += [f"  {text}" for text in _change_lines((change, "") for change in result.plan)]
    if result.kept_tunables:
        lines.append(
            f"  and {result.kept_tunables} tunables of the old governor are stored and restored"
        )
    lines += [f"  left out: {skipped.what}: {skipped.why}" for skipped in result.left_out]
    return lines


def _change_lines(changes: Iterable[tuple[PlannedChange, str]]) -> Iterator[str]:
    """Yield changes with their notes; those that differ by a number in the path share a line."""
    numbers_by_text: dict[tuple[str, str, str], list[str]] = {}
    for change, note in changes:
        match = _NUMBERED.fullmatch(change.path)
        before, number, after = match.groups() if match else (change.path, "", "")
        text = f"{after}: {change.old} -> {change.new}{note}"
        numbers_by_text.setdefault((change.scope, before, text), []).append(number)
    for (scope, before, text), numbers in numbers_by_text.items():
        if len(numbers) == 1:
            yield f"{scope:<10} {before}{numbers[0]}{text}"
        else:
            yield f"{scope:<10} {before}N{text} (N: {format_cpu_list(map(int, numbers))})"


def run_lines(run: PinnedRun) -> list[str]:
    """Return the result of a run: effect, disturbances, settings that were not restored."""
    lines = effect_lines(run.during)
    lines += [
        f"changed by another program during the run: {setting.change.path} reads "
        f"{setting.detail}, pinned to {setting.change.new}"
        for setting in run.foreign
    ]
    return [*lines, *run.disturbances, *restore_lines(run.restored)]


def effect_lines(check: EffectCheck) -> list[str]:
    """Return what the counters show of closed states."""
    if check.effect is Effect.NOTHING_CLOSED:
        return []
    if check.effect is Effect.WITHOUT_EFFECT:
        names = ", ".join(sorted({state.name for state in check.states}))
        return [f"{check.effect}: {check.entries} entries into {names} during the run"]
    return [f"closed states, by their counters: {check.effect}"]


def restore_lines(restored: JournalRestore) -> list[str]:
    """Return the settings of a journal that were not restored."""
    return journal_lines(restored_journal(restored))


def journal_lines(journal: RestoredJournal) -> list[str]:
    """Return the settings of a journal that were not restored."""
    if journal.other_boot:
        return ["discarded a journal of another boot: its settings ended with that boot"]
    lines = []
    for status in (RestoreStatus.FOREIGN, RestoreStatus.GONE, RestoreStatus.FAILED):
        for setting in journal.settings:
            if setting.status is status:
                value = f" (it reads {setting.detail})" if status is RestoreStatus.FOREIGN else ""
                reason = f": {setting.detail}" if status is RestoreStatus.FAILED else ""
                lines.append(f"{setting.path}: {status}{value}{reason}")
    return lines


def restore_result_lines(result: PinRestoreResult) -> list[str]:
    """Return what was restored of all journals."""
    lines = [line for journal in result.journals for line in journal_lines(journal)]
    count = sum(
        setting.status is RestoreStatus.RESTORED
        for journal in result.journals
        for setting in journal.settings
    )
    return [*lines, f"{count} settings restored" if result.journals else "nothing to restore"]


def status_lines(result: PinStatusResult) -> list[str]:
    """Return the pins of a machine, or that there are none."""
    if not result.pins:
        return ["nothing is pinned"]
    lines = []
    for pin in result.pins:
        state = "held" if pin.held else "left over; to restore: stallscope pin restore"
        if pin.other_boot:
            state = "of another boot: nothing is left to restore"
        lines.append(f"{pin.owner.name} (process {pin.owner.pid}), {state}")
        noted = (
            (setting, "" if setting.holds else f"; now {setting.now or 'gone'}")
            for setting in pin.settings
            if setting.new is not None
        )
        lines += [f"  {text}" for text in _change_lines(noted)]
    return lines

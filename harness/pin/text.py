"""The lines that people read of `stallscope pin`."""

import re
from collections.abc import Iterable, Iterator

from cstates.pinning.effects import Effect, Finding
from cstates.pinning.knobs import Change
from cstates.pinning.plan import Plan
from cstates.pinning.restoring import Fate, Restored
from cstates.pinning.session import RunResult
from cstates.pinning.status import PinStatus
from stallscope.cpu_lists import format_cpu_list

_NUMBERED = re.compile(r"(.*?/(?:cpu|policy|irq/))([0-9]+)(/.*)")


def plan_lines(plan: Plan) -> list[str]:
    """Return a plan in the order of its changes; those that differ by their CPU alone as one."""
    lines = [f"pin: CPUs {format_cpu_list(plan.targets.command)}"]
    extra = sorted(set(plan.targets.capped) - set(plan.targets.command))
    if extra:
        lines[0] += f", and their siblings {format_cpu_list(extra)}"
    if not plan.changes:
        as_asked = not plan.partial and not plan.left_out
        lines.append(f"  nothing to change{': all is as asked' if as_asked else ''}")
    lines += [f"  {text}" for text in _changes((each, "") for each in plan.changes)]
    kept = sum(each.new is None for each in plan.journaled)
    if kept:
        lines.append(f"  and {kept} tunables of the former governor are kept, and put back")
    lines += [f"  left out: {each.wish}: {each.why}" for each in plan.left_out]
    return lines


def _changes(noted: Iterable[tuple[Change, str]]) -> Iterator[str]:
    """Yield changes with what is noted of each; where only a number in the path differs, as one."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for change, note in noted:
        found = _NUMBERED.fullmatch(change.path)
        before, number, after = found.groups() if found else (change.path, "", "")
        text = f"{after}: {change.old} -> {change.new}{note}"
        alike.setdefault((change.scope, before, text), []).append(number)
    for (scope, before, text), numbers in alike.items():
        if len(numbers) == 1:
            yield f"{scope:<10} {before}{numbers[0]}{text}"
        else:
            yield f"{scope:<10} {before}N{text} (N: {format_cpu_list(map(int, numbers))})"


def result_lines(result: RunResult) -> list[str]:
    """Return what is to be said after a run: effect, disturbances, what was not put back."""
    lines = effect_lines(result.during)
    lines += [
        f"changed by somebody else during the run: {each.change.path} reads {each.found}, "
        f"pinned to {each.change.new}"
        for each in result.foreign
    ]
    return [*lines, *result.disturbances, *restored_lines(result.restored)]


def effect_lines(finding: Finding) -> list[str]:
    """Return what the counters showed of closed states."""
    if finding.effect is Effect.NOTHING_CLOSED:
        return []
    if finding.effect is Effect.WITHOUT_EFFECT:
        names = ", ".join(sorted({each.name for each in finding.where}))
        return [f"{finding.effect}: {finding.entries} entries into {names} during the run"]
    return [f"closed states, by their counters: {finding.effect}"]


def restored_lines(restored: Restored) -> list[str]:
    """Return what was not simply put back."""
    if restored.other_boot:
        return ["a journal of another boot was discarded: its settings ended with that boot"]
    lines = []
    for fate in (Fate.FOREIGN, Fate.GONE, Fate.FAILED):
        for each in restored.of(fate):
            found = f" (it reads {each.found})" if fate is Fate.FOREIGN else ""
            why = f": {each.found}" if fate is Fate.FAILED else ""
            lines.append(f"{each.change.path}: {fate}{found}{why}")
    return lines


def status_lines(pins: tuple[PinStatus, ...]) -> list[str]:
    """Return the pins of a machine, or that there are none."""
    if not pins:
        return ["nothing is pinned"]
    lines = []
    for pin in pins:
        state = "held" if pin.held else "left over: stallscope pin restore puts it back"
        if pin.other_boot:
            state = "of another boot: nothing of it is left to put back"
        lines.append(f"{pin.owner.name} (process {pin.owner.pid}), {state}")
        noted = (
            (each.change, "" if each.holds else f"; now {each.now or 'gone'}")
            for each in pin.settings
            if each.change.new is not None
        )
        lines += [f"  {text}" for text in _changes(noted)]
    return lines

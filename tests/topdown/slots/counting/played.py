"""A collector that is made up: it plays totals back as a recording of counters would hold them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stallscope.collector import CollectionEnd, CountOptions
from tests.topdown.slots.counting.synthetic import START_NS, write_counters

FREE = ("INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREAD", "CPU_CYCLES", "TSC")


@dataclass
class PlayedCollector:
    """Counts steadily: ``totals`` of a second by event, or as a function of the run's number."""

    totals: Mapping[str, float] | Callable[[int], Mapping[str, float]]
    counters: int = 8
    windows: int = 10
    unavailable: dict[str, tuple[str | None, str]] = field(default_factory=dict)
    zeros: tuple[str, ...] = ()
    interrupted_in: int = 1000  # the counting that Ctrl-C ends
    requests: list[CountOptions] = field(default_factory=list)
    plans: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, options: CountOptions) -> CollectionEnd:
        plan = json.loads(options.plan.read_text())
        run = sum(item.duration_s != 0.06 for item in self.requests)
        self.requests.append(options)
        self.plans.append(plan)
        totals = self.totals(run) if callable(self.totals) else self.totals
        groups = self._groups(plan, totals)
        options.output.mkdir()
        (options.output / "plan.json").write_text(json.dumps(plan))
        share = 1 / len(groups) if groups else 1.0
        write_counters(options.output, groups, totals, windows=self.windows, share=share)
        (options.output / "recording.json").write_text(json.dumps(self._document(options, plan)))
        return CollectionEnd(0, "duration", interrupted=len(self.requests) >= self.interrupted_in)

    def _groups(self, plan: dict[str, Any], totals: Mapping[str, float]) -> list[list[str]]:
        """Sets packed one after the other into groups of N counters."""
        groups: list[list[str]] = []
        for event_set in plan["sets"]:
            selected = [
                name
                for name in event_set["events"]
                if name in totals and name not in self.unavailable
            ]
            for group in groups:
                joined = list(dict.fromkeys([*group, *selected]))
                if sum(name not in FREE for name in joined) <= self.counters:
                    group[:] = joined
                    break
            else:
                if selected:
                    groups.append(selected)
        return groups

    def _document(self, options: CountOptions, plan: dict[str, Any]) -> dict[str, Any]:
        return {
            "schema": "stallscope.recording/1.0",
            "kind": "counters",
            "complete": True,
            "host": {"hostname": "played"},
            "target": {"kind": "command", "command": list(options.command)}
            if options.command
            else {"kind": "process", "pids": list(options.pids)},
            "source": {"event": "counters"},
            "clocks": {"start_monotonic_ns": START_NS},
            "counting": {
                "unavailable": [
                    {
                        "event": name,
                        "cause": "unknown-name" if errno is None else "refused",
                        "errno": errno,
                        "reason": why,
                        "remedy": "",
                    }
                    for name, (errno, why) in self.unavailable.items()
                    if name in plan["events"]
                ],
                "unverified_zero": list(self.zeros),
            },
            "warnings": [],
            "end": {"reason": "duration"},
        }


def recorded(folder: Path, name: str, sys_files: Mapping[str, str], cpuinfo: str) -> Path:
    """A machine's /proc and /sys as files."""
    root = folder / name
    for path, text in {**sys_files, "proc/cpuinfo": cpuinfo}.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root

"""Plans of counters, and the files of a counting."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


def plan_of(*sets: Sequence[str], **events: dict[str, object]) -> dict[str, Any]:
    """A plan with these sets; events not described are known by their names."""
    names = {name for event_set in sets for name in event_set}
    described = {name: events.get(name.replace("-", "_"), {"name": name}) for name in sorted(names)}
    return {
        "schema": "stallscope.count-plan/1",
        "sets": [
            {"name": f"set {number}", "events": list(events)}
            for number, events in enumerate(sets, 1)
        ],
        "events": described,
    }


@dataclass
class Counting:
    """A recording of counters, as its files have it."""

    directory: Path
    exit_code: int = 0
    messages: str = ""
    document: dict[str, Any] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    lines: list[dict[str, Any]] = field(default_factory=list)

    def reload(self) -> None:
        path = self.directory / "recording.json"
        self.document = json.loads(path.read_text()) if path.exists() else {}
        path = self.directory / "counters.jsonl"
        rows = path.read_text().splitlines() if path.exists() else []
        self.header, self.lines = {}, []
        for number, row in enumerate(map(json.loads, rows)):
            if number == 0:
                self.header = row
            else:
                self.lines.append(row)

    def warnings(self) -> set[str]:
        return {warning["code"] for warning in self.document["warnings"]}

    def last(self, event: str) -> int:
        """The total count of an event, over all scopes."""
        for group in self.header["groups"]:
            if event not in group["events"]:
                continue
            column = group["events"].index(event)
            of_scope = {
                json.dumps(line["scope"]): line["v"][column]
                for line in self.lines
                if line["g"] == group["group"]
            }
            return sum(of_scope.values())
        raise AssertionError(f"{event} has no column")

    def unavailable(self) -> dict[str, dict[str, Any]]:
        return {item["event"]: item for item in self.document["counting"]["unavailable"]}

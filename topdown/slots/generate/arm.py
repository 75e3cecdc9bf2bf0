"""Drafts from Arm's tables (the telemetry specification)."""

from collections.abc import Mapping
from typing import Any

from topdown.slots.expressions import names, parse
from topdown.slots.generate.draft import Draft, renamed_text

LICENCE = "Apache-2.0"  # of Arm's telemetry-solution


def draft(table: Mapping[str, Any]) -> Draft:
    """Return the draft of a CPU's table: the tree of its methodology, then all other metrics."""
    result = Draft(
        source=table["source"].removesuffix(f" ({LICENCE})"),
        licence=LICENCE,
        unit="percent",
        ipc=("INST_RETIRED", "CPU_CYCLES"),
    )
    places = _tree(table)
    metrics = table["metrics"]
    for name in (*places, *sorted(set(metrics) - set(places))):
        level, parent = places.get(name, (None, None))
        metric = metrics[name]
        add(
            result,
            name,
            (metric["formula"], metric["units"], _group(table, name)),
            level=level,
            parent=parent,
        )
        if metric["sample_events"]:
            result.nodes[name]["locate_with"] = metric["sample_events"]
    return result


def add(
    draft: Draft,
    name: str,
    metric: tuple[str, str, str],
    *,
    level: int | None = None,
    parent: str | None = None,
) -> None:
    """Add a metric, a tuple of formula, unit and group."""
    text, unit, group = metric
    draft.nodes[name] = {
        "level": level,
        "parent": parent,
        "domain": unit,
        "group": group,
        "formula": renamed_text(text, {event: event for event in names(parse(text))}),
        "threshold": None,
    }


def _tree(table: Mapping[str, Any]) -> dict[str, tuple[int | None, str | None]]:
    """Return level and parent of each metric in the tree of the methodology."""
    children = {metric["name"]: metric["next_items"] for metric in table["methodology"]["metrics"]}
    places: dict[str, tuple[int | None, str | None]] = {}
    pending: list[tuple[str, int, str | None]] = [
        (root, 1, None) for root in table["methodology"]["root_nodes"]
    ]
    while pending:
        name, level, parent = pending.pop(0)
        if name in table["metrics"] and name not in places:
            places[name] = (level, parent)
            pending += [(child, level + 1, name) for child in children.get(name, ())]
    for name in children:
        if name not in places:  # in a group of the tree, but not a child of any node
            _, parent = places[_first_of_group(table, name, places)]
            places[name] = (2, parent)
    return places


def _first_of_group(
    table: Mapping[str, Any], name: str, places: Mapping[str, tuple[int | None, str | None]]
) -> str:
    group = table["groups"][_group(table, name)]
    return str(next(metric for metric in group if places.get(metric, (0, None))[0] == 2))


def _group(table: Mapping[str, Any], name: str) -> str:
    """Return the last, most specific group that contains a metric."""
    return str([group for group, members in table["groups"].items() if name in members][-1])


def encode(draft: Draft, codes: Mapping[str, str]) -> None:
    """Add the encodings of all events in the draft. Raises KeyError for a missing one."""
    for name in draft.events_to_encode():
        draft.events[name] = hex(int(codes[name], 0))

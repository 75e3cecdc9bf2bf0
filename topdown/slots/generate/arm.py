"""Arm's tables (the telemetry specification) made into a draft."""

from collections.abc import Mapping
from typing import Any

from topdown.slots.expressions import names, parse
from topdown.slots.generate.draft import Draft, renamed_text

LICENCE = "Apache-2.0"  # of Arm's telemetry-solution


def draft(table: Mapping[str, Any]) -> Draft:
    """Return the draft of one CPU's table: the tree of its methodology, then all other metrics."""
    made = Draft(
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
            made,
            name,
            (metric["formula"], metric["units"], _group(table, name)),
            level=level,
            parent=parent,
        )
        if metric["sample_events"]:
            made.nodes[name]["locate_with"] = metric["sample_events"]
    return made


def add(
    made: Draft,
    name: str,
    metric: tuple[str, str, str],
    *,
    level: int | None = None,
    parent: str | None = None,
) -> None:
    """Add a metric, given as its formula, unit and group."""
    text, unit, group = metric
    made.nodes[name] = {
        "level": level,
        "parent": parent,
        "domain": unit,
        "group": group,
        "formula": renamed_text(text, {each: each for each in names(parse(text))}),
        "threshold": None,
    }


def _tree(table: Mapping[str, Any]) -> dict[str, tuple[int | None, str | None]]:
    """Return level and parent of each metric that the methodology leads to from its roots."""
    leads = {metric["name"]: metric["next_items"] for metric in table["methodology"]["metrics"]}
    places: dict[str, tuple[int | None, str | None]] = {}
    waiting: list[tuple[str, int, str | None]] = [
        (root, 1, None) for root in table["methodology"]["root_nodes"]
    ]
    while waiting:
        name, level, parent = waiting.pop(0)
        if name in table["metrics"] and name not in places:
            places[name] = (level, parent)
            waiting += [(each, level + 1, name) for each in leads.get(name, ())]
    for name in leads:
        if name not in places:  # named in a group of the tree, but led to by none
            _, above = places[_first_of_group(table, name, places)]
            places[name] = (2, above)
    return places


def _first_of_group(
    table: Mapping[str, Any], name: str, places: Mapping[str, tuple[int | None, str | None]]
) -> str:
    group = table["groups"][_group(table, name)]
    return str(next(each for each in group if places.get(each, (0, None))[0] == 2))


def _group(table: Mapping[str, Any], name: str) -> str:
    """Return the last group that holds a metric: the most particular one."""
    return str([group for group, members in table["groups"].items() if name in members][-1])


def encode(made: Draft, codes: Mapping[str, str]) -> None:
    """Fill in the encodings of all events that the draft names; KeyError names one without."""
    located = {event for node in made.nodes.values() for event in node.get("locate_with", ())}
    for name in sorted(made.events_named() | located | set(made.ipc)):
        made.events[name] = hex(int(codes[name], 0))

"""Drafts from Intel's tables (perfmon's metrics and core events)."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from topdown.slots.expressions import FormulaError, names, parse
from topdown.slots.generate.draft import Draft, renamed_text
from topdown.slots.generate.encodings import PERF_METRICS, intel

# Names in formulas that are not core events; the caller provides their values.
CLOCKS = {"tsc": "TSC", "duration_time": "DURATION_TIME", "smt_on": "smt_on"}
_THRESHOLD = re.compile(r"metric_TMA_\.*(\w+)\(%\) ([<>]) (\d+(?:\.\d+)?)")
_NOT_A_NODE = ("Info_", "Bottleneck_")


def draft(table: Mapping[str, Any]) -> Draft:
    """Return the draft of a CPU's table. Raises KeyError for an unknown name in a formula."""
    tree = [node for node in table["nodes"] if not node["name"].startswith(_NOT_A_NODE)]
    rename = _names(table, tree)
    result = Draft(
        source=table["source"],
        licence=table["license_of_source"],
        unit="fraction",
        ipc=("INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREAD"),
    )
    for node in table["nodes"]:
        if node["name"].startswith("Info_"):
            try:
                formula = renamed_text(node["base_formula"], rename)
            except (KeyError, FormulaError):
                continue  # uses uncore units or other metrics; a node that needs it fails below
            result.terms[node["name"].lower()] = formula
    for node in tree:
        result.nodes[node["name"]] = _node(node, tree, rename)
    return result


def _names(table: Mapping[str, Any], tree: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the model's name for each name in the table's formulas."""
    renames = {name.lower(): name for name in (*table["events"], *PERF_METRICS)}
    result: dict[str, str] = dict(CLOCKS)
    for text in (node["base_formula"] for node in table["nodes"]):
        for name in _names_in(text):
            event, *modifiers = name.split(":")
            if event in renames:
                result[name] = ":".join((renames[event], *modifiers))
    for node in table["nodes"]:
        if node["name"].startswith("Info_"):
            result["tma_" + node["name"].lower()] = node["name"].lower()
    for node in tree:
        result["tma_" + node["name"].lower()] = node["name"]
    return result


def _names_in(text: str) -> set[str]:
    try:
        return names(parse(text))
    except FormulaError:
        return set()  # one published name contains a space; no node uses it


def _node(
    node: Mapping[str, Any], tree: list[Mapping[str, Any]], rename: Mapping[str, str]
) -> dict[str, Any]:
    fields: dict[str, Any] = {"level": node["level"], "parent": _parent(node, tree)}
    fields["domain"] = node["domain"]
    fields["formula"] = renamed_text(node["base_formula"], rename)
    fields["threshold"] = threshold(node["threshold"])
    located = [word.strip() for word in re.split(r"[;,]", node.get("locate_with", ""))]
    if events := [word for word in located if word and word != "#NA"]:
        fields["locate_with"] = events
    return fields


def threshold(text: str) -> str:
    """Return a published threshold, in percent of dotted names, as a formula of shares of nodes."""
    plain = _THRESHOLD.sub(lambda match: f"{match[1]} {match[2]} {int(match[3]) / 100}", text)
    return renamed_text(plain, UnchangedNames())


class UnchangedNames(dict[str, str]):
    """A mapping of each name to itself."""

    def __missing__(self, name: str) -> str:
        """Return the name itself."""
        return name


def _parent(node: Mapping[str, Any], tree: list[Mapping[str, Any]]) -> str | None:
    """Return the parent node.

    If the parent in the table has a wrong level, it is taken from the threshold, which names all
    ancestors.
    """
    levels = {other["name"]: other["level"] for other in tree}
    parent = node.get("parent")
    if node["level"] == 1:
        return None
    if parent in levels and levels[parent] == node["level"] - 1:
        return str(parent)
    for match in _THRESHOLD.finditer(node["threshold"]):
        if levels.get(match[1]) == node["level"] - 1:
            return match[1]
    raise KeyError(f"the parent of {node['name']}")


def encode(draft: Draft, fields: Mapping[str, Mapping[str, str]]) -> None:
    """Add the encodings of all events in the draft. Raises KeyError for a missing one."""
    for name in draft.events_to_encode():
        if name not in CLOCKS.values():
            draft.events[name] = intel(name, fields)

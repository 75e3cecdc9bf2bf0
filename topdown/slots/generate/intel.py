"""Intel's tables (perfmon's metrics and core events) made into a draft."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from topdown.slots.expressions import FormulaError, names, parse
from topdown.slots.generate.draft import Draft, renamed_text
from topdown.slots.generate.encodings import PERF_METRICS, intel

# What formulas name that no counter of the core counts; the reader of counts must bring them.
CLOCKS = {"tsc": "TSC", "duration_time": "DURATION_TIME", "smt_on": "smt_on"}
_THRESHOLD = re.compile(r"metric_TMA_\.*(\w+)\(%\) ([<>]) (\d+(?:\.\d+)?)")
_NOT_A_NODE = ("Info_", "Bottleneck_")


def draft(table: Mapping[str, Any]) -> Draft:
    """Return the draft of one CPU's table; KeyError names what a formula asks for in vain."""
    tree = [node for node in table["nodes"] if not node["name"].startswith(_NOT_A_NODE)]
    rename = _names(table, tree)
    made = Draft(
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
                continue  # of uncore units or other metrics; a node that led here fails below
            made.terms[node["name"].lower()] = formula
    for node in tree:
        made.nodes[node["name"]] = _node(node, tree, rename)
    return made


def _names(table: Mapping[str, Any], tree: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return for each name in the table's formulas the one in ours."""
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
        return set()  # one is published with a space inside a name; no node leads to it


def _node(
    node: Mapping[str, Any], tree: list[Mapping[str, Any]], rename: Mapping[str, str]
) -> dict[str, Any]:
    made: dict[str, Any] = {"level": node["level"], "parent": _parent(node, tree)}
    made["domain"] = node["domain"]
    made["formula"] = renamed_text(node["base_formula"], rename)
    made["threshold"] = threshold(node["threshold"])
    located = [word.strip() for word in re.split(r"[;,]", node.get("locate_with", ""))]
    if events := [word for word in located if word and word != "#NA"]:
        made["locate_with"] = events
    return made


def threshold(text: str) -> str:
    """Return a published threshold, in percent of dotted names, as shares of our nodes."""
    plain = _THRESHOLD.sub(lambda found: f"{found[1]} {found[2]} {int(found[3]) / 100}", text)
    return renamed_text(plain, Same())


class Same(dict[str, str]):
    """Names left as they are."""

    def __missing__(self, name: str) -> str:
        """Return the name itself."""
        return name


def _parent(node: Mapping[str, Any], tree: list[Mapping[str, Any]]) -> str | None:
    """Return the node above.

    Where the table's word for it is of a wrong level, the threshold tells: it names all above.
    """
    levels = {each["name"]: each["level"] for each in tree}
    said = node.get("parent")
    if node["level"] == 1:
        return None
    if said in levels and levels[said] == node["level"] - 1:
        return str(said)
    for found in _THRESHOLD.finditer(node["threshold"]):
        if levels.get(found[1]) == node["level"] - 1:
            return found[1]
    raise KeyError(f"the parent of {node['name']}")


def encode(made: Draft, fields: Mapping[str, Mapping[str, str]]) -> None:
    """Fill in the encodings of all events that the draft names; KeyError names one without."""
    located = {event for node in made.nodes.values() for event in node.get("locate_with", ())}
    for name in sorted(made.events_named() | located | set(made.ipc)):
        if name not in CLOCKS.values():
            made.events[name] = intel(name, fields)

"""A CPU model in preparation, and the text of its file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from topdown.slots.expressions import Expression, names, parse, renamed, written

FORMAT = "stallscope.topdown-model"
VERSION = "1.0"
_ONE_PER_LINE = ("events", "terms", "nodes")


@dataclass(slots=True)
class Draft:
    """The formulas of a vendor's table and the encodings of their events."""

    source: str
    licence: str  # SPDX expression of the source
    unit: str  # "fraction" or "percent"
    ipc: tuple[str, str]  # retired instructions, cycles
    terms: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    events: dict[str, str] = field(default_factory=dict)
    variants: dict[str, dict[str, Any]] = field(default_factory=dict)
    optional: dict[str, str] = field(default_factory=dict)  # warning by prefix of event names

    def formulas(self) -> dict[str, str]:
        """Return every formula, including those of variants, by a unique name."""
        formulas = dict(self.terms)
        formulas |= {name: str(node["formula"]) for name, node in self.nodes.items()}
        for variant, parts in self.variants.items():
            for kind in ("terms", "nodes"):
                formulas |= {
                    f"{variant} {name}": text for name, text in parts.get(kind, {}).items()
                }
        return formulas

    def events_named(self) -> set[str]:
        """Return the events in all formulas."""
        named = {name for text in self.formulas().values() for name in names(parse(text))}
        return named - set(self.terms) - set(self.nodes) - {"smt_on"}

    def events_to_encode(self) -> list[str]:
        """Return the events in all formulas, of the IPC, and that locate nodes, sorted."""
        located = {event for node in self.nodes.values() for event in node.get("locate_with", ())}
        return sorted(self.events_named() | located | set(self.ipc))

    def drop_unused_terms(self) -> None:
        """Remove the terms that no node uses."""
        formulas = self.formulas()
        used: set[str] = set()
        pending = [name for name in formulas if name not in self.terms]
        while pending:
            for name in names(parse(formulas[pending.pop()])):
                if name in self.terms and name not in used:
                    used.add(name)
                    pending.append(name)
        self.terms = {name: text for name, text in self.terms.items() if name in used}


def renamed_text(text: str, rename: Mapping[str, str]) -> str:
    """Return a formula with its names replaced. Raises KeyError for an unknown name."""
    tree: Expression = renamed(parse(text), lambda name: rename[name])
    return written(tree)


def document(cpu: str, entry: Mapping[str, Any], draft: Draft) -> str:
    """Return the text of a model file, with one line per event, term and node."""
    values: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "cpu": entry.get("cpu", cpu),
        "title": entry["title"],
        "aliases": entry.get("aliases", []),
        "source": draft.source,
        "licence": draft.licence,
        "unit": draft.unit,
        "slots_per_cycle": entry.get("width"),
        "match": entry["match"],
        "ipc": draft.ipc,
        "variants": draft.variants,
        "optional": draft.optional,
        "terms": dict(sorted(draft.terms.items())),
        "nodes": draft.nodes,
        "events": dict(sorted(draft.events.items())),
    }
    return "{\n" + ",\n".join(_member(key, value) for key, value in values.items()) + "\n}\n"


def _member(key: str, value: object) -> str:
    if key not in _ONE_PER_LINE or not isinstance(value, dict):
        return f" {json.dumps(key)}: {json.dumps(value)}"
    lines = [f"  {json.dumps(name)}: {json.dumps(member)}" for name, member in value.items()]
    return f" {json.dumps(key)}: {{\n" + ",\n".join(lines) + "\n }"

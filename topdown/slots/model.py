"""CPU models: the files in ``topdown/slots/models``, checked and typed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from stallscope.errors import UnableError
from stallscope.json_fields import Fields, read_fields
from topdown.slots.expressions import Expression, names, parse

FOLDER = Path(__file__).parent / "models"
FORMAT = "stallscope.topdown-model"
MAJOR = 1
# Names in formulas that are not core events: a flag, and clocks.
SMT = "smt_on"
CLOCKS = ("TSC", "DURATION_TIME")


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the tree, or a metric beside the tree with level None.

    ``domain`` is the vendor's name for what the node is a share of.
    """

    name: str
    level: int | None
    parent: str | None
    domain: str
    group: str
    formula: Expression
    threshold: Expression | None
    locate_with: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """Formulas that replace others in one counting mode."""

    why: str
    formulas: Mapping[str, Expression]


@dataclass(frozen=True, slots=True)
class CpuMatch:
    """The CPUs of a model: x86 by vendor, family, model and stepping; arm64 by MIDR fields."""

    vendor: str
    family: int
    models: tuple[tuple[int, int], ...]
    steppings: tuple[int, int]
    implementer: int
    part: int
    revisions: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Model:
    """The formulas and events of one CPU. ``unit`` is "fraction" or "percent"."""

    cpu: str
    key: str  # file name; differs between revisions of one CPU
    title: str
    aliases: tuple[str, ...]
    source: str
    licence: str  # SPDX expression of the source
    unit: str
    slots_per_cycle: int | None
    matches: tuple[CpuMatch, ...]
    instructions: str
    cycles: str
    terms: Mapping[str, Expression]
    nodes: Mapping[str, Node]
    variants: Mapping[str, Variant]
    optional: Mapping[str, str]  # warning by event that a sum omits if not counted
    events: Mapping[str, str]

    @property
    def deepest(self) -> int:
        """Return the number of levels."""
        return max(node.level or 0 for node in self.nodes.values())

    @property
    def whole(self) -> float:
        """Return the value of all slots: 1 or 100."""
        return 100.0 if self.unit == "percent" else 1.0


@cache
def keys() -> tuple[str, ...]:
    """Return the file names of all models."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


@cache
def load(key: str) -> Model:
    """Return a model by its file name. Raises UnableError for another format."""
    return model_of(read_fields(FOLDER / f"{key}.json"), key)


def model_of(fields: Fields, key: str) -> Model:
    """Return the model in a file's fields; every name in its formulas is checked."""
    version = fields.text("version")
    if fields.text("format") != FORMAT or version.partition(".")[0] != str(MAJOR):
        raise UnableError(
            f"{fields.where}: expected {FORMAT} {MAJOR}.x, not {fields.text('format')} {version}",
            "reinstall stallscope, or generate the models again",
        )
    ipc = fields.texts("ipc")
    nodes, variants, events = (fields.fields(name) for name in ("nodes", "variants", "events"))
    optional = fields.fields("optional")
    model = Model(
        cpu=fields.text("cpu"),
        key=key,
        title=fields.text("title"),
        aliases=fields.texts("aliases"),
        source=fields.text("source"),
        licence=fields.text("licence"),
        unit=fields.text("unit"),
        slots_per_cycle=fields.maybe_count("slots_per_cycle"),
        matches=tuple(_match(match) for match in fields.objects("match")),
        instructions=ipc[0],
        cycles=ipc[1],
        terms=_formulas(fields.fields("terms")),
        nodes=MappingProxyType({name: _node(name, nodes) for name in nodes.values}),
        variants=MappingProxyType(
            {name: _variant(variants.fields(name)) for name in variants.values}
        ),
        optional=MappingProxyType(
            {
                name: optional.text(prefix)
                for prefix in optional.values
                for name in events.values
                if name.startswith(prefix)
            }
        ),
        events=MappingProxyType({name: events.text(name) for name in events.values}),
    )
    _check_names(model, fields.where)
    return model


def _match(fields: Fields) -> CpuMatch:
    models = [word.partition("-")[::2] for word in fields.texts("models")]
    oldest, newest = fields.integers("steppings") or (0, 255)
    revisions = fields.texts("revisions") or ("r0p0", "r15p15")
    return CpuMatch(
        vendor=fields.text("vendor", ""),
        family=fields.integer("family", 0),
        models=tuple((int(first), int(last or first)) for first, last in models),
        steppings=(oldest, newest),
        implementer=fields.integer("implementer", 0),
        part=fields.integer("part", 0),
        revisions=(revisions[0], revisions[1]),
    )


def _formulas(fields: Fields) -> Mapping[str, Expression]:
    return MappingProxyType({name: parse(fields.text(name)) for name in fields.values})


def _node(name: str, nodes: Fields) -> Node:
    fields = nodes.fields(name)
    threshold = fields.maybe_text("threshold")
    return Node(
        name=name,
        level=fields.maybe_count("level"),
        parent=fields.maybe_text("parent"),
        domain=fields.text("domain"),
        group=fields.text("group", ""),
        formula=parse(fields.text("formula")),
        threshold=None if threshold is None else parse(threshold),
        locate_with=fields.texts("locate_with"),
    )


def _variant(fields: Fields) -> Variant:
    formulas = dict(_formulas(fields.fields("terms"))) | dict(_formulas(fields.fields("nodes")))
    return Variant(fields.text("why"), MappingProxyType(formulas))


def _check_names(model: Model, where: str) -> None:
    """Raise UnableError if a formula, parent or threshold contains an unknown name."""
    known = {*model.events, *model.terms, *model.nodes, SMT, *CLOCKS}
    formulas: list[Expression] = [*model.terms.values()]
    for variant in model.variants.values():
        formulas += variant.formulas.values()
    for node in model.nodes.values():
        formulas.append(node.formula)
        _require(set(node.locate_with), known, f"{where}: {node.name}")
        _require({node.parent} - {None}, set(model.nodes), f"{where}: {node.name}")
        if node.threshold is not None:
            _require(names(node.threshold), set(model.nodes), f"{where}: {node.name}")
    for formula in formulas:
        _require(names(formula), known, where)


def _require(used: Iterable[str | None], known: set[str], where: str) -> None:
    unknown = sorted(str(name) for name in used if name not in known)
    if unknown:
        raise UnableError(
            f"{where} uses {', '.join(unknown)}, which the model does not define",
            "generate the model again from a table that defines it",
        )

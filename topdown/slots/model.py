"""Models of CPUs: what each file in ``topdown/slots/models`` says, checked and typed."""

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
# Names in formulas that no event of the core answers: a flag, and what a clock says.
SMT = "smt_on"
CLOCKS = ("TSC", "DURATION_TIME")


@dataclass(frozen=True, slots=True)
class Node:
    """One node of the tree, or a metric beside it, whose level is then None.

    ``domain`` is what it is a share of, in its vendor's words.
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
    """Formulas that take the place of others where counts were taken in another mode."""

    why: str
    formulas: Mapping[str, Expression]


@dataclass(frozen=True, slots=True)
class Match:
    """Whose CPUs these are: x86 by vendor, family, model and stepping; arm64 by MIDR's fields."""

    vendor: str
    family: int
    models: tuple[tuple[int, int], ...]
    steppings: tuple[int, int]
    implementer: int
    part: int
    revisions: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Model:
    """How one CPU's slots are computed. ``unit`` is "fraction" or "percent"."""

    cpu: str
    key: str  # the file's name; two revisions of one CPU differ in it
    title: str
    aliases: tuple[str, ...]
    source: str
    licence: str  # SPDX expression of the source
    unit: str
    slots_per_cycle: int | None
    matches: tuple[Match, ...]
    instructions: str
    cycles: str
    terms: Mapping[str, Expression]
    nodes: Mapping[str, Node]
    variants: Mapping[str, Variant]
    optional: Mapping[str, str]  # events that a sum leaves out where uncounted, and what to say
    events: Mapping[str, str]

    @property
    def deepest(self) -> int:
        """Return the number of levels."""
        return max(node.level or 0 for node in self.nodes.values())

    @property
    def whole(self) -> float:
        """Return what all slots are: 1 or 100."""
        return 100.0 if self.unit == "percent" else 1.0


@cache
def keys() -> tuple[str, ...]:
    """Return the names of all models that are there."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


@cache
def load(key: str) -> Model:
    """Return a model by its file's name; UnableError where the file is not of our format."""
    return model_of(read_fields(FOLDER / f"{key}.json"), key)


def model_of(fields: Fields, key: str) -> Model:
    """Return the model a file's fields describe; every name in its formulas is checked."""
    version = fields.text("version")
    if fields.text("format") != FORMAT or version.partition(".")[0] != str(MAJOR):
        raise UnableError(
            f"{fields.where}: format {fields.text('format')} {version}, not {FORMAT} {MAJOR}.x",
            "install stallscope again, or generate the models with its own generator",
        )
    ipc = fields.texts("ipc")
    nodes, variants, events = (fields.fields(key) for key in ("nodes", "variants", "events"))
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
        matches=tuple(_match(each) for each in fields.objects("match")),
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


def _match(fields: Fields) -> Match:
    models = [word.partition("-")[::2] for word in fields.texts("models")]
    oldest, newest = fields.integers("steppings") or (0, 255)
    revisions = fields.texts("revisions") or ("r0p0", "r15p15")
    return Match(
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
    """Raise UnableError where a formula, parent or threshold names what is not there."""
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


def _require(wanted: Iterable[str | None], known: set[str], where: str) -> None:
    unknown = sorted(str(name) for name in wanted if name not in known)
    if unknown:
        raise UnableError(
            f"{where} names {', '.join(unknown)}, which is not in the model",
            "generate the model again, from a table that holds it",
        )

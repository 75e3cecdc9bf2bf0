"""CPU models: the files in ``topdown/slots/models``, checked and typed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from stallscope.documents import Count, Record, decode, field, read_bounded
from stallscope.errors import UnableError
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


class _Header(Record, frozen=True):
    format: str
    version: str


class _CpuMatchRecord(Record, frozen=True, kw_only=True):
    vendor: str = ""
    family: int = 0
    models: tuple[str, ...] = ()
    steppings: tuple[int, int] = (0, 255)
    implementer: int = 0
    part: int = 0
    revisions: tuple[str, str] = ("r0p0", "r15p15")


class _NodeRecord(Record, frozen=True, kw_only=True):
    level: Count | None = None
    parent: str | None = None
    domain: str
    group: str = ""
    formula: str
    threshold: str | None = None
    locate_with: tuple[str, ...] = ()


class _VariantRecord(Record, frozen=True, kw_only=True):
    why: str
    terms: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, str] = field(default_factory=dict)


class _ModelRecord(Record, frozen=True, kw_only=True):
    cpu: str
    title: str
    aliases: tuple[str, ...] = ()
    source: str
    licence: str
    unit: str
    slots_per_cycle: Count | None = None
    match: tuple[_CpuMatchRecord, ...] = ()
    ipc: tuple[str, str]
    terms: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, _NodeRecord] = field(default_factory=dict)
    variants: dict[str, _VariantRecord] = field(default_factory=dict)
    optional: dict[str, str] = field(default_factory=dict)
    events: dict[str, str] = field(default_factory=dict)


@cache
def load(key: str) -> Model:
    """Return a model by its file name. Raises UnableError for another format."""
    path = FOLDER / f"{key}.json"
    return parse_model(read_bounded(path), key, str(path))


def parse_model(content: bytes | str, key: str, source: str) -> Model:
    """Return the model in the content of a file; every name in its formulas is checked."""
    header = decode(content, _Header, source)
    if header.format != FORMAT or header.version.partition(".")[0] != str(MAJOR):
        raise UnableError(
            f"{source}: expected {FORMAT} {MAJOR}.x, not {header.format} {header.version}",
            "reinstall stallscope, or generate the models again",
        )
    record = decode(content, _ModelRecord, source)
    model = Model(
        cpu=record.cpu,
        key=key,
        title=record.title,
        aliases=record.aliases,
        source=record.source,
        licence=record.licence,
        unit=record.unit,
        slots_per_cycle=record.slots_per_cycle,
        matches=tuple(_cpu_match(match) for match in record.match),
        instructions=record.ipc[0],
        cycles=record.ipc[1],
        terms=_formulas(record.terms),
        nodes=MappingProxyType({name: _node(name, node) for name, node in record.nodes.items()}),
        variants=MappingProxyType(
            {
                name: Variant(variant.why, _formulas(variant.terms | variant.nodes))
                for name, variant in record.variants.items()
            }
        ),
        optional=MappingProxyType(
            {
                name: warning
                for prefix, warning in record.optional.items()
                for name in record.events
                if name.startswith(prefix)
            }
        ),
        events=MappingProxyType(record.events),
    )
    _check_names(model, source)
    return model


def _cpu_match(record: _CpuMatchRecord) -> CpuMatch:
    models = [word.partition("-")[::2] for word in record.models]
    return CpuMatch(
        vendor=record.vendor,
        family=record.family,
        models=tuple((int(first), int(last or first)) for first, last in models),
        steppings=record.steppings,
        implementer=record.implementer,
        part=record.part,
        revisions=record.revisions,
    )


def _formulas(texts: Mapping[str, str]) -> Mapping[str, Expression]:
    return MappingProxyType({name: parse(text) for name, text in texts.items()})


def _node(name: str, record: _NodeRecord) -> Node:
    return Node(
        name=name,
        level=record.level,
        parent=record.parent,
        domain=record.domain,
        group=record.group,
        formula=parse(record.formula),
        threshold=None if record.threshold is None else parse(record.threshold),
        locate_with=record.locate_with,
    )


def _check_names(model: Model, where: str) -> None:
    """Raise UnableError if a formula, parent or threshold contains an unknown name."""
    defined = {*model.events, *model.terms, *model.nodes, SMT, *CLOCKS}
    formulas: list[Expression] = [*model.terms.values()]
    for variant in model.variants.values():
        formulas += variant.formulas.values()
    for node in model.nodes.values():
        formulas.append(node.formula)
        _require(set(node.locate_with), defined, f"{where}: {node.name}")
        _require({node.parent} - {None}, set(model.nodes), f"{where}: {node.name}")
        if node.threshold is not None:
            _require(names(node.threshold), set(model.nodes), f"{where}: {node.name}")
    for formula in formulas:
        _require(names(formula), defined, where)


def _require(used: Iterable[str | None], known: set[str], where: str) -> None:
    unknown = sorted(str(name) for name in used if name not in known)
    if unknown:
        raise UnableError(
            f"{where} uses {', '.join(unknown)}, which the model does not define",
            "generate the model again from a table that defines it",
        )

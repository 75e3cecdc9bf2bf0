"""The findings of a diagnosis as cards, with links to the panels that show their evidence."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.cli.terminal import percent
from harness.diagnose.page.links import panel_of_place, panel_of_source
from harness.diagnose.result import DiagnoseResult, Finding, FindingPlace
from harness.diagnose.text import amount_text, interval_text
from harness.page.document import fragment
from harness.page.panels import TABLE_STYLE, Panel

_SEARCHED = ("function",)  # places that the flame graph can search


@dataclass(frozen=True, slots=True)
class _EvidenceRow:
    name: str
    value: str
    interval: str
    source: str
    panel: str


@dataclass(frozen=True, slots=True)
class _PlaceRow:
    kind: str
    name: str
    panel: str
    search: str


@dataclass(frozen=True, slots=True)
class _Card:
    number: int
    cause: str
    sentence: str
    cost: str
    cost_percent: float
    gain: str
    confidence: str
    evidence: tuple[_EvidenceRow, ...]
    where: tuple[_PlaceRow, ...]
    attempts: tuple[str, ...]
    check: str


def findings_panel(result: DiagnoseResult) -> Panel:
    """Return the panel: a card per finding, in order of cost, and causes that were not judged."""
    markup = fragment(
        "harness.diagnose/panel.html",
        cards=[_card(number, finding) for number, finding in enumerate(result.findings, 1)],
        functions=[(percent(row.self_share), row.name, row.line or "") for row in result.functions],
        not_judged=[
            (", ".join(row.causes), f"{row.reason}. {row.remedy}") for row in result.not_judged
        ],
        sources=[(row.name, row.kind, row.detail) for row in result.sources],
        warnings=result.warnings,
    )
    return Panel(markup, (TABLE_STYLE, ("harness.diagnose", ("diagnose.css",))))


def _card(number: int, finding: Finding) -> _Card:
    gain = finding.largest_gain
    return _Card(
        number=number,
        cause=finding.cause,
        sentence=finding.sentence,
        cost=percent(finding.cost_share),
        cost_percent=100 * finding.cost_share,
        gain="" if gain is None else f"at most {gain:.1f} times faster",
        confidence=percent(finding.confidence),
        evidence=tuple(
            _EvidenceRow(
                row.name,
                amount_text(row.value, row.unit),
                interval_text(row),
                row.source,
                panel_of_source(row.source),
            )
            for row in finding.evidence
        ),
        where=tuple(_places(finding.where)),
        attempts=finding.try_,
        check=finding.check,
    )


def _places(places: tuple[FindingPlace, ...]) -> Iterator[_PlaceRow]:
    for place in places:
        search = place.name if place.kind in _SEARCHED else ""
        yield _PlaceRow(place.kind, place.name, panel_of_place(place.kind), search)

"""docs/benchmarks.md: generated, judged, and up to date."""

from pathlib import Path

import pytest

from benchmarks import cases
from benchmarks.cases import BenchmarkSession, Bound, Case, ratio, save
from benchmarks.tables import REASONS, document

ROOT = Path(__file__).parents[2]
FAST, SLOW, NOISY = (1.5,) * 7, (0.5,) * 7, (0.5, 1.5, 0.5, 1.5, 0.5, 1.5, 1.2)


def keep(machine: str, date: str, **readings: tuple[float, ...]) -> None:
    bound: Bound = ratio(at_least=1)
    save(
        BenchmarkSession(
            benchmark="speed",
            date=date,
            host=f"{machine}, 2 CPUs, Linux 6",
            command="./dev bench speed",
            cases=tuple(
                Case(name=name, metric="requests/s", ours_command="a", peer_command="b",
                     bar=(bound,), ours=ours, peer=(1.0,) * len(ours))
                for name, ours in readings.items()
            ),
        )
    )  # fmt: skip


@pytest.fixture
def raw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cases, "RAW", tmp_path / "raw")
    return tmp_path / "raw"


def page(raw: Path, reasons: str = "") -> str:
    path = raw / "reasons.toml"
    path.write_text(reasons)
    return document(raw, path)


def test_missed_rows_come_first_then_undecided_ones(raw: Path) -> None:
    keep("A", "2026-01-01", fast=FAST, noisy=NOISY, slow=SLOW)
    text = page(raw)
    assert "Of 3 bars: 1 missed, 1 undecided, 1 met." in text
    assert text.index("## Missed") < text.index("## Undecided") < text.index("## speed")
    section = text[text.index("## speed") :]
    assert section.index("| slow |") < section.index("| noisy |") < section.index("| fast |")


def test_a_missed_row_states_its_reason_or_that_it_is_unknown(raw: Path) -> None:
    keep("A", "2026-01-01", slow=SLOW)
    assert "| reason unknown |" in page(raw)
    known = '[[reason]]\nbenchmark = "speed"\ncase = "sl*"\ntext = "the peer caches"\n'
    assert "| the peer caches |" in page(raw, known)


def test_an_undecided_row_states_the_pairs_it_needs(raw: Path) -> None:
    keep("A", "2026-01-01", noisy=NOISY, short=(1.5,) * 3)
    text = page(raw)
    assert "| 7 measured, about" in text
    assert "| 3 measured, about 5 needed |" in text


def test_machines_that_disagree_are_both_shown(raw: Path) -> None:
    keep("A", "2026-01-02", disputed=FAST, agreed=FAST)
    keep("B", "2026-01-01", disputed=SLOW, agreed=FAST)
    text = page(raw)
    disagreement = text[text.index("## Machines disagree") : text.index("## speed")]
    assert "| A | 1.5 (1.5 to 1.5) | met |" in disagreement
    assert "| B | 0.5 (0.5 to 0.5) | missed |" in disagreement
    assert "agreed" not in disagreement
    assert text[text.index("## speed") :].count("| agreed |") == 1


def test_the_page_in_docs_is_generated_from_the_raw_pairs() -> None:
    """Run `./dev bench tables` if this fails."""
    assert (ROOT / "docs" / "benchmarks.md").read_text() == document()


def test_every_known_reason_explains_a_missed_row() -> None:
    text = document()
    for line in REASONS.read_text().splitlines():
        if line.startswith("text = "):
            assert line.removeprefix("text = ").strip('"') in text

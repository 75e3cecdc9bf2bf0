from pathlib import Path

import pytest

from harness.cli.symbol_places import SymbolPlaces
from harness.diagnose.cpu_functions import cpu_analysis
from harness.diagnose.page.comparison import compare_with
from stallscope.recordings import open_recording
from topdown.stacks.symbols.sources import SymbolSources

CAPTURE = Path("tests/captures/switches.perf")


def test_a_recording_does_not_differ_from_itself() -> None:
    recording = open_recording(CAPTURE)
    compared = compare_with(CAPTURE, recording, cpu_analysis(recording))
    assert 'id="diff"' in compared.panel.markup
    assert "diff-flame" in compared.rules


def test_without_cpu_samples_the_states_are_compared_alone() -> None:
    compared = compare_with(CAPTURE, open_recording(CAPTURE), None)
    assert compared.rules == ""


def test_the_profile_of_the_baseline_searches_the_places_of_debug_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[SymbolPlaces] = []
    added_to = SymbolPlaces.added_to

    def spy(places: SymbolPlaces, sources: SymbolSources) -> SymbolSources:
        used.append(places)
        return added_to(places, sources)

    monkeypatch.setattr(SymbolPlaces, "added_to", spy)
    places = SymbolPlaces(debug_directories=(tmp_path,))
    compare_with(CAPTURE, open_recording(CAPTURE), None, places)
    assert used[-1] == places

"""The panel of `cstates show` on generated machines."""

from pathlib import Path

import pytest

from harness.cstates.show.panel import states_panel
from tests.harness.cstates.show.results import Machines, of_command, result_of


def test_the_panel_has_the_contents_of_the_text(machine: Machines) -> None:
    roots = machine("sapphire-rapids-server")
    panel = states_panel(result_of(roots))
    assert panel.startswith('<section class="panel" id="cstates"')
    assert panel.count("<tr") == 5
    assert 'class="muted-row"><th scope="row">C1E</th>' in panel
    for text in ("off by default", "EPP performance", "CPUs 0-3", "measured"):
        assert text in panel


def test_the_page_has_the_panel_and_no_external_resources(
    machine: Machines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roots = machine("skylake-client")
    document = of_command(capsys, roots, "-o", str(tmp_path / "states.html"))
    page = (tmp_path / "states.html").read_text(encoding="utf-8")
    assert document["schema"]
    assert states_panel(result_of(roots)) in page
    assert "Content-Security-Policy" in page
    assert "://" not in page
    assert "Core i7-6600U" in page

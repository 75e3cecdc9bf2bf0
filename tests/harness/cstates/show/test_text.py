"""The text of `cstates show` on generated machines."""

from pathlib import Path

import pytest

from harness.cstates.show.panel import states_panel
from tests.cstates.machine_trees import names
from tests.harness.cstates.show.results import Machines, result_of, text_of

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", names())
def test_the_text_matches_the_golden_file(machine: Machines, name: str) -> None:
    text = text_of(machine(name))
    golden = GOLDEN / f"show-{name}.txt"
    if not golden.exists() or golden.read_text() != text:
        golden.with_suffix(".got").write_text(text)
    assert golden.read_text() == text, f"see {golden.with_suffix('.got')}"


def test_hostile_names_are_escaped_everywhere(machine: Machines) -> None:
    roots = machine("ice-lake-server")
    hostile = "<b>\x1b[31m\u202ex"
    (roots.proc / "812/comm").write_text(hostile + "\n")
    (roots.sys / "devices/system/cpu/cpu0/cpuidle/state1/name").write_text(hostile + "\n")
    (roots.sys / "devices/system/cpu/cpuidle/current_governor").write_text(hostile + "\n")
    text = text_of(roots)
    assert "\x1b" not in text
    assert "\u202e" not in text
    panel = states_panel(result_of(roots))
    assert "<b>" not in panel
    assert "&lt;b&gt;" in panel
    assert "\x1b" not in panel

"""System packages of `./dev demo`."""

from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_demo_installs_valgrind_for_the_instruction_cache_figure() -> None:
    assert "\ndemo valgrind " in (ROOT / "tools/debian-packages.txt").read_text()
    assert "set_up_users() { need build demo;" in (ROOT / "dev").read_text()

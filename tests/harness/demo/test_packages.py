"""System packages of `./dev demo`."""

from pathlib import Path

DEV = Path(__file__).parents[3] / "dev"


def test_the_demo_installs_valgrind_for_the_instruction_cache_figure() -> None:
    text = DEV.read_text()
    assert "\ndemo valgrind " in text
    assert "set_up_users() { need build demo;" in text

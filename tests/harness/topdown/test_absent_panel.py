"""The panel of a profile without slots."""

from harness.topdown.absent_panel import panel_of_profile
from tests.harness.topdown.markup import words


def test_the_page_of_a_profile_names_commands_that_count_slots() -> None:
    texts = " ".join(words(panel_of_profile(None)).texts)
    assert "Slots were not counted" in texts
    assert "stallscope topdown -p PID" in texts

"""`stallscope cstates show` for a terminal."""

from collections.abc import Iterator

from cstates.observation import Observation, groups
from harness.cli.table import columns
from harness.cli.terminal import wrapped
from harness.cstates.show.rows import HEADS, facts, group_facts, group_name, span_text, state_rows


def lines(observation: Observation, room: int) -> Iterator[str]:
    """Yield the lines of the whole table, at most ``room`` columns wide where words allow."""
    for label, text in facts(observation):
        yield from _labelled(label, text, room)
    yield from wrapped(span_text(observation), room)
    for group in groups(observation):
        yield ""
        yield group_name(group)
        for label, text in group_facts(group, observation.frequency):
            yield from (f"  {line}" for line in _labelled(label, text, room - 2))
        rows = [row.cells for row in state_rows(group)]
        if rows:
            yield from (f"  {line}" for line in columns([HEADS, *rows]))


def _labelled(label: str, text: str, room: int) -> list[str]:
    return wrapped(f"{label}: {text}", room, "  ")

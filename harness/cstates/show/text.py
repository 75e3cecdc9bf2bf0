"""Sleep states, limits and frequency for a terminal."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import wrapped
from harness.cstates.show.groups import cpu_groups
from harness.cstates.show.result import ShowResult
from harness.cstates.show.rows import HEADS, facts, group_facts, span_text, state_rows


def lines(result: ShowResult, width: int) -> Iterator[str]:
    """Yield the lines of the machine and of each group of CPUs."""
    for label, text in facts(result):
        yield from wrapped(f"{label}: {text}", width, "  ")
    yield from wrapped(span_text(result), width)
    for group in cpu_groups(result):
        yield ""
        yield group.name
        for label, text in group_facts(group, result.frequency):
            yield from (f"  {line}" for line in wrapped(f"{label}: {text}", width - 2, "  "))
        rows = [row.cells for row in state_rows(group)]
        if rows:
            yield from (f"  {line}" for line in columns([HEADS, *rows]))

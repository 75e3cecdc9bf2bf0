"""The panel "Samples over time" of the flame page: a map of samples, and periods that differ."""

from collections.abc import Sequence

from markupsafe import Markup

from harness.page.document import fragment
from harness.page.flame_table import Cell, table
from harness.page.subsecond_map import render_subsecond_map, subsecond_map
from stallscope.printable import visible_text
from stallscope.quantities import share_text
from topdown.stacks.blocks import blocks
from topdown.stacks.bursts import Burst
from topdown.stacks.flame.names import function_text
from topdown.stacks.profile import Profile

_NAME_LIMIT = 300


def periods_panel(profile: Profile, bursts: Sequence[Burst], *, recording_name: str) -> Markup:
    """Return the panel; empty if the samples have no times."""
    times = profile.times
    if times is None or not len(times.node):
        return Markup()
    marked = [(burst.begin_ns / 1e9, burst.end_ns / 1e9) for burst in bursts]
    blocks_ns = (times.since_ns(block) for block in blocks(len(times.node)))
    sample_map = subsecond_map(blocks_ns, times.last_ns, marked)
    width = f"{sample_map.column_s} s" if sample_map.column_s > 1 else "1 second"
    return fragment(
        "harness.profile/periods_panel.html",
        map=render_subsecond_map(sample_map),
        hint=f"a column covers {width}; height: offset within a second; brighter: more samples",
        table=_table(profile, bursts) if bursts else Markup(),
        recording=recording_name,
        period=period_text(bursts[0]) if bursts else "",
    )


def period_text(burst: Burst) -> str:
    """Return a period as the option --period takes it: "12.5-17.5"."""
    return f"{burst.begin_ns / 1e9:.2f}-{burst.end_ns / 1e9:.2f}"


def _table(profile: Profile, bursts: Sequence[Burst]) -> Markup:
    head = [Cell("From"), Cell("To"), Cell("Inside", "number"), Cell("Overall", "number")]
    head += [Cell("Samples", "number"), Cell("Function"), Cell("Module")]
    rows = []
    for burst in bursts:
        function = profile.functions[burst.function]
        rows.append(
            (
                Cell(f"{burst.begin_ns / 1e9:.2f} s", "number"),
                Cell(f"{burst.end_ns / 1e9:.2f} s", "number"),
                Cell(share_text(burst.inside), "number", burst.inside),
                Cell(share_text(burst.overall), "number"),
                Cell(f"{burst.samples:,}", "number soft"),
                Cell(function_text(function.name, _NAME_LIMIT), "name"),
                Cell(visible_text(function.module, _NAME_LIMIT), "module"),
            )
        )
    return table(head, rows)

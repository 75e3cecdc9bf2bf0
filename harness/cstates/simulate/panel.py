"""The panel and page of simulated governors."""

from pathlib import Path

from markupsafe import Markup

from harness.cstates.page import write_page
from harness.cstates.simulate.result import SimulateResult
from harness.cstates.simulate.text import cells, heads, notes, title
from harness.page.document import fragment


def simulated_panel(result: SimulateResult) -> Markup:
    """Return the panel's markup: a row for each governor, and the meaning of its numbers."""
    return fragment(
        "harness.cstates.simulate/panel.html",
        title=title(result),
        heads=heads(result),
        rows=[cells(simulated) for simulated in result.rows],
        notes=list(notes(result)),
    )


def write_simulated_page(path: Path, result: SimulateResult) -> None:
    """Write the page of a simulation."""
    write_page(
        path,
        [simulated_panel(result)],
        title=f"{result.trace} on {result.table}",
        source=result.source,
        host={},
    )

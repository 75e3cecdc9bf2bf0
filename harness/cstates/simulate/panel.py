"""The panel and page of simulated governors."""

from pathlib import Path

from harness.cstates.page import write_page
from harness.cstates.simulate.result import SimulateResult
from harness.cstates.simulate.text import cells, heads, notes, title
from harness.page.document import escaped
from harness.page.tables import panel, row, table


def simulated_panel(result: SimulateResult) -> str:
    """Return the panel's markup: a row for each governor, and the meaning of its numbers."""
    body = [
        f"<p>{escaped(title(result))}</p>",
        table(heads(result), (row(cells(simulated)) for simulated in result.rows)),
        *(f"<p>{escaped(text)}</p>" for text in notes(result)),
    ]
    hint = '<span class="modelled">modelled</span>'
    return panel("cstates-simulated", "What governors would choose", hint, "".join(body))


def write_simulated_page(path: Path, result: SimulateResult) -> None:
    """Write the page of a simulation."""
    write_page(
        path,
        [simulated_panel(result)],
        title=f"{result.trace} on {result.table}",
        source=result.source,
        host={},
    )

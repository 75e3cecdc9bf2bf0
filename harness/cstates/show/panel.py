"""The panel and page of sleep states."""

from pathlib import Path

from harness.cstates.page import write_page
from harness.cstates.show.groups import cpu_groups
from harness.cstates.show.result import ShowResult
from harness.cstates.show.rows import HEADS, facts, group_facts, span_text, state_rows
from harness.page.document import escaped
from harness.page.tables import MUTED, facts_list, panel, row, table
from stallscope.host import read_host
from stallscope.system_files import Roots


def states_panel(result: ShowResult) -> str:
    """Return the panel's markup: facts, and a table for each group of CPUs."""
    body = [facts_list(facts(result)), f"<p>{escaped(span_text(result))}</p>"]
    for group in cpu_groups(result):
        body.append(f"<h3>{escaped(group.name)}</h3>")
        body.append(facts_list(group_facts(group, result.frequency)))
        rows = [row(cells.cells, MUTED if cells.closed else "") for cells in state_rows(group)]
        if rows:
            body.append(table(HEADS, rows))
    return panel("cstates", "Sleep states", "measured", "".join(body))


def write_states_page(path: Path, result: ShowResult, roots: Roots) -> None:
    """Write the page of a machine's sleep states."""
    host = read_host(roots)
    facts = {"Host": host.hostname, "CPU": host.cpu_model, "Kernel": host.kernel_release}
    write_page(path, [states_panel(result)], title=host.hostname, source=result.source, host=facts)

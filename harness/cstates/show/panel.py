"""The panel and page of sleep states."""

from pathlib import Path

from markupsafe import Markup

from harness.cstates.page import write_page
from harness.cstates.show.groups import CpuGroup, cpu_groups
from harness.cstates.show.result import ShowResult
from harness.cstates.show.rows import HEADS, facts, group_facts, span_text, state_rows
from harness.page.document import fragment
from stallscope.host import read_host
from stallscope.system_files import Roots


def states_panel(result: ShowResult) -> Markup:
    """Return the panel's markup: facts, and a table for each group of CPUs."""
    return fragment(
        "harness.cstates.show/panel.html",
        facts=list(facts(result)),
        span=span_text(result),
        heads=HEADS,
        groups=[_group_values(group, result) for group in cpu_groups(result)],
    )


def _group_values(group: CpuGroup, result: ShowResult) -> dict[str, object]:
    rows = list(state_rows(group))
    return {
        "name": group.name,
        "facts": list(group_facts(group, result.frequency)),
        "rows": [row.cells for row in rows],
        "muted": [index for index, row in enumerate(rows) if row.closed],
    }


def write_states_page(path: Path, result: ShowResult, roots: Roots) -> None:
    """Write the page of a machine's sleep states."""
    host = read_host(roots)
    facts = {"Host": host.hostname, "CPU": host.cpu_model, "Kernel": host.kernel_release}
    write_page(path, [states_panel(result)], title=host.hostname, source=result.source, host=facts)

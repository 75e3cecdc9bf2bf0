"""Any trace, table of states, latency document or machine tree gives no traceback."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.cli.command_line import main
from harness.cstates.latency.result import LatencyResult
from stallscope.documents import decode
from tests.cstates.machine_trees import expand
from tests.harness.cstates.latency.documents import LATENCY
from tests.long_tests import long_tests

pytestmark = pytest.mark.long
EXAMPLES = long_tests(short=30, long=2000)
MACHINES = long_tests(short=6, long=300)
NUMBERS = ["", "-1", "0", "1e400", "nan", "inf", "9" * 400, "1" * 19, "0x10", "\u0661", "1.5", "\0"]
TEXTS = [*NUMBERS, "\x1b[31m", "\ud7ff", "a,b", '"', "x" * 5000, "n/a", "<script>"]

TRACE = "cpu,t_entry_ns,idle_ns,next_hrtimer_ns,wake\n" + "".join(
    f"{n % 2},{n * 10**6},{100_000 + n},{900_000},timer\n" for n in range(8)
)

TABLE = (
    "table,cpu,name,desc,exit_latency_us,target_residency_us,default_status\n"
    "x,cpu,POLL,poll,0,0,enabled\nx,cpu,C1,halt,2,2,enabled\nx,cpu,C6,deep,133,600,enabled\n"
)


def mutated(text: str, data: st.DataObject) -> str:
    """Return a CSV text with a few cells or characters replaced."""
    for _ in range(data.draw(st.integers(1, 3))):
        rows = [line.split(",") for line in text.splitlines()]
        row = data.draw(st.sampled_from(rows))
        row[data.draw(st.integers(0, len(row) - 1))] = data.draw(st.sampled_from(TEXTS))
        text = "\n".join(",".join(row) for row in rows) + "\n"
    return text


@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_odd_traces_and_tables_are_simulated_or_rejected(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("csv")
    trace, table = folder / "trace.csv", folder / "table.csv"
    which = data.draw(st.booleans())
    trace.write_text(mutated(TRACE, data) if which else TRACE)
    table.write_text(TABLE if which else mutated(TABLE, data))
    words = ["cstates", "simulate", "--trace", str(trace), "--table", str(table)]
    assert main([*words, "--governor", "menu-6.18,teo,ladder"]) in (0, 2, 5)
    assert main([*words, "--governor", "haltpoll", "--json"]) in (0, 2, 5)


def test_the_original_inputs_are_accepted(tmp_path: Path) -> None:
    trace, table = tmp_path / "trace.csv", tmp_path / "table.csv"
    trace.write_text(TRACE)
    table.write_text(TABLE)
    assert main(["cstates", "simulate", "--trace", str(trace), "--table", str(table)]) == 0
    assert decode(json.dumps(LATENCY), LatencyResult, "latency.json").evidence


@settings(max_examples=MACHINES)
@given(data=st.data())
def test_odd_files_of_a_machine_are_shown_or_rejected(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tree = expand("ice-lake-server", tmp_path_factory.mktemp("machine") / "tree")
    files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    for _ in range(data.draw(st.integers(1, 5))):
        file = data.draw(st.sampled_from(files))
        content = data.draw(st.sampled_from([b"\xff\xfe\x00", *(text.encode() for text in TEXTS)]))
        file.write_bytes(content)
    roots = [f"--sysfs-root={tree}/sys", f"--proc-root={tree}/proc"]
    assert main(["cstates", "show", "--json", *roots]) in (0, 2, 3)
    assert main(["cstates", "show", *roots]) in (0, 2, 3)
    run = f"--run-root={tree}/run"
    assert main(["pin", "--profile", "bench", "--dry-run", *roots, run]) in (0, 2, 3)
    assert main(["doctor", *roots]) == 0
    assert main(["doctor", "--fix", "--json", *roots]) == 0

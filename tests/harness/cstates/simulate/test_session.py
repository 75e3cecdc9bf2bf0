"""`stallscope cstates simulate`: document, text, errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from cstates.simulation.governors import GOVERNORS
from cstates.tables import known_table_names
from cstates.tables.declared import this_table
from harness.cli.command_line import main
from stallscope.errors import ExitCode
from stallscope.system_files import Roots
from tests.cstates.machine_trees import expand

TRACE = Path(__file__).parents[3] / "cstates" / "simulation" / "recorded_idle.csv"


def run(*options: str) -> int:
    return main(["cstates", "simulate", *options])


def document(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    assert run("--json", *options) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_the_document_has_the_documented_fields(capsys: pytest.CaptureFixture[str]) -> None:
    result = document(capsys, "--table", "vm:haltpoll", "--trace", str(TRACE))
    assert result["schema"] == "stallscope.cstates.simulate/1"
    assert result["source"] == "modelled"
    assert result["intervals"] == 3999
    assert result["tick"] == "recorded"
    assert [row["governor"] for row in result["rows"]] == [
        *(governor.name for governor in GOVERNORS),
        "pin:POLL",
        "pin:haltpoll idle",
    ]
    for row in result["rows"]:
        assert 0 <= row["too_deep_share"] <= 1
        assert 0 <= row["too_shallow_share"] <= 1
        assert {"mean", "p50", "p99"} <= set(row["exit_us"])
        assert set(row["residency"]) == {"POLL", "haltpoll idle"}
        assert sum(row["residency"].values()) == pytest.approx(1)
    menu = next(row for row in result["rows"] if row["governor"] == "menu-6.18")
    assert menu["agreement"]["states_entered"] == 1


def test_a_trace_with_only_the_required_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "idle.csv"
    path.write_text("cpu,t_entry_ns,idle_ns,next_hrtimer_ns,wake\n0,1000,250000,5000000,ipi\n")
    result = document(
        capsys, "--table", "Z600", "--trace", str(path), "--governors", "pin:C6,pin:C1"
    )
    assert result["tick"] == "modelled"
    assert [row["exit_us"]["p50"] for row in result["rows"]] == [200, 3]
    assert [row["agreement"] for row in result["rows"]] == [None, None]


def test_governors_may_be_repeated_or_listed(capsys: pytest.CaptureFixture[str]) -> None:
    result = document(
        capsys, "--table", "Z600", "--workload", "poisson:1ms", "--intervals", "100",
        "--governor", "ladder", "--governor", "teo-6.12,pin:10us",
    )  # fmt: skip
    assert [row["governor"] for row in result["rows"]] == ["ladder", "teo-6.12", "pin:10us"]


def test_closed_states_and_limits_are_applied(capsys: pytest.CaptureFixture[str]) -> None:
    result = document(
        capsys, "--table", "Z600", "--workload", "poisson:1ms", "--intervals", "1000",
        "--governor", "menu-6.18", "--disable", "C6", "--max-exit-latency", "15", "--hz", "1000",
    )  # fmt: skip
    assert result["closed"] == ["C6"]
    assert result["latency_limit_us"] == 15
    assert result["tick_hz"] == 1000
    assert result["rows"][0]["residency"]["C3"] == 0


def test_the_text_has_a_table_and_notes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--table", "vm:haltpoll", "--trace", str(TRACE)) == 0
    text = capsys.readouterr().out
    text = " ".join(text.split())
    assert "modelled" in text
    assert "pin:POLL 0 of" not in text  # a pin follows no kernel
    assert "Too shallow" in text
    assert "single entered state" in text
    assert "menu-6.18 3,998 of 3,999" in text


def test_missing_columns_of_waiters_and_load_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "idle.csv"
    path.write_text(
        "cpu,t_entry_ns,idle_ns,next_hrtimer_ns,iowaiters,wake\n0,1000,250000,5000000,1,ipi\n"
    )
    words = ("--table", "Z600", "--trace", str(path))
    result = document(capsys, *words, "--governor", "menu-4.9")
    assert (result["iowaiters"], result["load"]) == ("trace", "assumed")
    assert run(*words, "--governor", "menu-4.9,menu-6.1,menu-6.18") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "The trace has no column load: for menu-4.9, the load is 0." in text
    assert "column iowaiters" not in text
    assert run("--table", "Z600", "--workload", "poisson:1ms", "--governor", "menu-6.18,teo") == 0
    assert "has no column" not in capsys.readouterr().out


def test_the_page_has_a_row_per_governor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "<b>.html"
    result = document(
        capsys, "--table", "Z600", "--workload", "poisson:1ms", "--intervals", "50", "-o", str(path)
    )
    page = path.read_text(encoding="utf-8")
    for row in result["rows"]:
        assert f'<th scope="row">{row["governor"]}</th>' in page
    assert '<span class="modelled">modelled</span>' in page
    assert "poisson:1000us" in page


def test_the_list_has_all_tables_and_governors(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--list") == 0
    text = capsys.readouterr().out
    for name in (*known_table_names(), *(governor.name for governor in GOVERNORS)):
        assert name in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "name the CPU's states with --table"),
        (("--table", "Z600"), "name either --trace or --workload"),
        (("--table", "Z600", "--workload", "poisson:1ms", "--trace", "x"), "name either"),
        (("--table", "Z6000", "--workload", "poisson:1ms"), "unknown table 'Z6000'"),
        (("--table", "Z600", "--workload", "burst:1ms"), "unknown workload 'burst:1ms'"),
        (("--table", "Z600", "--workload", "poisson:1ms", "--governor", "manu-6.1"), "unknown governor 'manu-6.1'"),
        (("--table", "Z600", "--workload", "poisson:1ms", "--governor", "pin:C9"), "has no state 'C9'"),
        (("--table", "Z600", "--workload", "poisson:1ms", "--disable", "C3,,C6"), "has no state ''"),
        (("--table", "Z600", "--workload", "poisson:1ms", "--intervals", "0"), "cannot generate 0 intervals"),
        (("--table", "Z600", "--workload", "poisson:1ms", "--hz", "7"), "'7' is not one of"),
        (("--table", "Z600", "--trace", "/nonexistent/idle.csv"), "cannot read /nonexistent/idle.csv"),
    ],
)  # fmt: skip
def test_invalid_options_are_rejected(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    assert run(*options) == ExitCode.USAGE
    assert message in capsys.readouterr().err


def test_an_unreadable_trace_has_its_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "idle.csv"
    path.write_bytes(TRACE.read_bytes()[:5000])
    assert run("--table", "Z600", "--trace", str(path)) == ExitCode.UNREADABLE
    assert "the file is cut off" in capsys.readouterr().err


def test_the_table_of_a_recorded_machine_is_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = expand("nehalem-ep-workstation", tmp_path / "tree")
    roots = [f"--sysfs-root={tree}/sys", f"--proc-root={tree}/proc"]
    result = document(capsys, *roots, "--table", "this", "--workload", "poisson:250us")
    states = [state.name for state in this_table(Roots.recorded(tree)).states]
    assert len(states) > 2
    assert list(result["rows"][0]["residency"]) == states
    assert run(f"--sysfs-root={tmp_path}", "--table", "this") == ExitCode.USAGE

"""Tables of sleep states: known ones, files, and errors."""

from pathlib import Path

import pytest

from cstates.tables.known import known_table_names, load_table
from stallscope.errors import UsageError


def written(
    folder: Path, *rows: str, head: str = "name,exit_latency_us,target_residency_us"
) -> str:
    path = folder / "states.csv"
    path.write_text("\n".join((head, *rows)) + "\n")
    return str(path)


@pytest.mark.parametrize("name", known_table_names())
def test_every_known_table_loads_with_polling_first(name: str) -> None:
    table = load_table(name)
    assert table.states[0].polling
    assert 2 <= len(table.states) <= 10


def test_the_states_of_a_xeon_x5650() -> None:
    states = load_table("intel_idle:nehalem_cstates").states
    result = [(s.name, s.exit_latency_us, s.target_residency_us) for s in states]
    assert result == [
        ("POLL", 0, 0),
        ("C1", 3, 6),
        ("C1E", 10, 20),
        ("C3", 20, 80),
        ("C6", 200, 800),
    ]
    assert load_table("Z600").states[1:] != ()


def test_the_part_after_the_colon_is_enough() -> None:
    assert load_table("spr1") == load_table("pepc:spr1")


def test_states_are_found_by_name_or_by_latency() -> None:
    table = load_table("Z600")
    assert table.index_of("C3") == 3
    assert table.index_of("10us") == 2
    assert table.index_of("0us") == 0
    with pytest.raises(UsageError, match="has no state 'C9'") as refused:
        table.index_of("C9")
    assert "POLL, C1, C1E, C3, C6" in refused.value.remedy


def test_an_unknown_table_lists_similar_names() -> None:
    with pytest.raises(UsageError, match="unknown table 'sprr1'") as refused:
        load_table("sprr1")
    assert "pepc:spr1" in refused.value.remedy


def test_a_csv_file_may_have_a_table(tmp_path: Path) -> None:
    table = load_table(written(tmp_path, "WFI,1,1", "sleep,100,300"))
    assert [state.name for state in table.states] == ["WFI", "sleep"]
    assert not table.states[0].polling


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (("C1,2,2", "C1,10,20"), "state 'C1' occurs twice"),
        (("C1,20,20", "C2,10,30"), "exit latency decreases: C1 has 20 us, C2 10 us"),
        (("C1,2,20", "C2,10,10"), "target residency decreases: C1 has 20 us, C2 10 us"),
        (("C1,-2,2",), "row 1: exit_latency_us is '-2'"),
        (("C1,2,nan",), "row 1: target_residency_us is 'nan'"),
        (("C1,2,2", "C2,3"), "row 2: target_residency_us is ''"),
        (("C1,2,99999999999999999999",), "target_residency_us is '99999999999999999999'"),
        (("C1,2,0000000000009999999999",), "expected whole microseconds"),
        (("C1,2,1000000001",), "expected whole microseconds from 0 to 1000000000"),
        ((",2,2",), "'' is not a state name"),
        ((), "it has 0 states"),
        (tuple(f"C{n},{n},{n}" for n in range(11)), "it has 11 states"),
    ],
)
def test_an_invalid_table_is_rejected(tmp_path: Path, rows: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        load_table(written(tmp_path, *rows))
    assert message in refused.value.message
    assert "states.csv" in refused.value.message


def test_invalid_files_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        load_table(str(tmp_path / "none.csv"))
    with pytest.raises(UsageError, match="has no column exit_latency_us, target_residency_us"):
        load_table(written(tmp_path, "C1", head="name"))
    with pytest.raises(UsageError, match="has 2 tables"):
        load_table(
            written(
                tmp_path,
                "a,C1,1,1",
                "b,C2,2,2",
                head="table,name,exit_latency_us,target_residency_us",
            )
        )
    (tmp_path / "large.csv").write_bytes(b"x" * (2**20 + 1))
    with pytest.raises(UsageError, match="larger than"):
        load_table(str(tmp_path / "large.csv"))

"""bench.toml: typed, with the nearest name for an unknown key."""

from pathlib import Path

import pytest

from harness.bench.plan.bench_file import read_bench_file
from stallscope.errors import UsageError


def written(folder: Path, text: str) -> Path:
    path = folder / "bench.toml"
    path.write_text(text)
    return path


def test_commands_servers_and_clients_are_read(tmp_path: Path) -> None:
    content = read_bench_file(
        written(
            tmp_path,
            'runs = 5\n[commands.a]\nrun = "true"\n[servers.s]\nstart = ["cat"]\n'
            '[clients.c]\nrun = "nc {port}"\nparallel = [1, 2]\n',
        )
    )
    assert content.runs == 5
    assert content.commands["a"].run == "true"
    assert content.servers["s"].start == ("cat",)
    assert content.clients["c"].parallel == (1, 2)


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        ('[commandz.a]\nrun = "true"\n', "unknown key 'commandz'", "did you mean commands"),
        ('[commands.a]\nrunn = "true"\n', "commands.a: unknown key 'runn'", "did you mean run"),
        ('[servers.s]\nstart = "x"\nredy = "y"\n', "servers.s: unknown key 'redy'", "ready"),
        ("[commands.a]\nrun = 3\n", "Expected `str | array`", ""),
        ('[commands.a]\nrun = "true"\n[clients.c]\nrun = "x"\n', "there is no server", ""),
        (
            '[servers.disk]\nstart = "x"\n[clients.c]\nrun = "x"\nservers = ["dsk"]\n',
            "unknown server 'dsk'",
            "did you mean disk",
        ),
        ("", "no command and no client", ""),
        ("a = [", "is not TOML", ""),
        ("commands = 3\n", "commands", ""),
    ],
)
def test_a_wrong_file_is_an_error_with_its_place(
    tmp_path: Path, text: str, message: str, remedy: str
) -> None:
    with pytest.raises(UsageError) as raised:
        read_bench_file(written(tmp_path, text))
    assert message in raised.value.message
    assert remedy in raised.value.remedy


def test_an_unknown_key_of_the_quick_table_names_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "bench.toml"
    path.write_text('[commands.a]\nrun = "true"\n[quick]\nrunz = 3\n')
    with pytest.raises(UsageError, match="quick: unknown key 'runz'") as caught:
        read_bench_file(path)
    assert caught.value.remedy == "did you mean runs?"

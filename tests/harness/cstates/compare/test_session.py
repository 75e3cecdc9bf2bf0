"""`stallscope cstates compare` on generated machines, whose counters do not change."""

import json
from pathlib import Path

import pytest

from cstates.comparison.candidates import CONTROL
from harness.cli.command_line import main
from harness.cstates.compare.result import CStatesCompareResult
from harness.cstates.compare.text import lines
from stallscope.documents import decode
from stallscope.errors import ExitCode
from tests.cstates.machine_trees import expand
from tests.harness.workload.fake_programs import LOADED, install


class Fake:
    def __init__(self, folder: Path, name: str) -> None:
        self.tree = expand(name, folder / name)
        self.words = [
            "cstates",
            "compare",
            f"--sysfs-root={self.tree}/sys",
            f"--proc-root={self.tree}/proc",
            f"--run-root={folder / 'run'}",
        ]

    def run(self, *words: str) -> int:
        return main([*self.words, *words])

    def content(self) -> dict[Path, bytes]:
        return {p: p.read_bytes() for p in self.tree.rglob("*") if p.is_file()}


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    return Fake(tmp_path, "ice-lake-server")


def test_every_round_runs_every_setting_and_restores_it(
    fake: Fake, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = fake.content()
    log = tmp_path / "log"
    governor = fake.tree / "sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
    script = f"cat {governor} >> {log}; echo this is discarded"
    words = ["--rounds", "2", "--setting", "fast=--governor performance", "--json"]
    assert fake.run(*words, "--", "sh", "-c", script) == 0
    document = json.loads(capfd.readouterr().out)
    assert fake.content() == before
    usual = governor.read_text().strip()
    assert sorted(log.read_text().split()) == sorted([usual, usual, "performance"] * 2)
    assert document["schema"] == "stallscope.cstates.compare/1"
    assert document["rounds"] == 2
    assert document["control"] == document["settings"][1]["name"] == CONTROL
    control = document["settings"][1]["metrics"]["wall_s"]
    assert (control["shown"], control["standing"], control["p_holm"]) == (False, None, None)
    fast = document["settings"][2]
    assert fast["name"] == "fast"
    assert any(change["new"] == "performance" for change in fast["plan"])
    assert len(fast["metrics"]["wall_s"]["values"]) == 2
    assert fast["metrics"]["wall_s"]["p"] > 0.3  # with two values per side, p is at least 2 / 6
    assert all(value > 0 for value in fast["metrics"]["wall_s"]["values"])
    assert fast["entries"] == [{}, {}]  # the counters of a generated machine do not change
    assert any("do not change" in note for note in document["notes"])
    assert document["conclusions"][0].startswith(
        "No verdict: 2 rounds are too few for 1 setting and 2 metrics; "
    )


def test_the_tables_have_a_row_per_setting(fake: Fake, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["--rounds", "4", "--setting", "shallow=--states C1", "--", "true"]
    assert fake.run(*words) == 0
    printed = capfd.readouterr().out
    assert "wall time, ms:" in printed
    assert "CPU time, ms:" in printed
    assert sum(line.strip().startswith("shallow  ") for line in printed.splitlines()) == 3
    entries = printed.partition("Entries")[2]
    assert entries.count("n/a") == 3  # its counters do not change, so that the idle time is unknown
    assert "hardly slept" not in printed
    assert "No verdict" in printed or "Nothing to gain" in printed or "% less" in printed


def test_a_command_that_fails_is_not_compared(
    fake: Fake, capfd: pytest.CaptureFixture[str]
) -> None:
    before = fake.content()
    assert fake.run("--setting", "a=--states C1", "--", "false") == ExitCode.TARGET_FAILED
    assert "the command failed under" in capfd.readouterr().err
    assert fake.content() == before


def test_an_interrupted_command_ends_the_comparison(
    fake: Fake, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--setting", "a=--states C1", "--", "sh", "-c", "kill -INT $$"]
    assert fake.run(*words) == ExitCode.INTERRUPTED
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rounds", "6"), "name a command"),
        (("--load", "--", "true"), "name a command"),
        (("--rate", "5", "--", "true"), "--rate needs --load"),
        (("--connections", "1", "--", "true"), "--connections needs --load"),
        (("--load", "--connections", "1,x"), "--connections '1,x' is not a list"),
        (("--load", "--connections", "0"), "is not a list of numbers from 1"),
        (("--load", "--connections", "1,,2"), "is not a list of numbers"),
        (("--load", "--connections", ",".join(map(str, range(1, 40)))), "names 39 numbers"),
        (("--load", "--processes", "4"), "--processes"),
        (("--load", "--loop", "closed", "--rate", "5"), "a closed loop has no --rate"),
        (("--load", "--warmup", "-1"), "--warmup"),
        (("--setting", "a", "--", "true"), "not NAME=OPTIONS"),
        (("--setting", "a=--wrong 1", "--", "true"), "No such option"),
        (("--setting", "a=--states 'C1", "--", "true"), "No closing quotation"),
        (("--setting", "a=", "--", "true"), "no setting to pin"),
        (("--setting", "a=--states C9", "--", "true"), "no CPU has a state 'C9'"),
        (("--setting", "a=--nice 1 --cpus 0", "--", "true"), "cannot differ between settings"),
        (("--setting", "as it is=--nice 1", "--", "true"), "occurs twice"),
        (("--setting", "as it is, again=--nice 1", "--", "true"), "occurs twice"),
        (("--min-effect", "-1", "--", "true"), "--min-effect"),
        (("--min-effect", "nan", "--", "true"), "--min-effect"),
        (("--cpus", "0-x", "--", "true"), "0-x"),
    ],
)
def test_invalid_options_are_rejected(
    fake: Fake, words: tuple[str, ...], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert fake.run(*words) == ExitCode.USAGE
    assert message in capfd.readouterr().err


LOADER = """
count = sys.argv[sys.argv.index("--connections") + 1]
folder = sys.argv[sys.argv.index("-o") + 1]
with open(LOG, "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
document = dict(LOADED, latency_us=dict(LOADED["latency_us"], p50=10.0 * int(count)))
open(folder + "/load.json", "w").write(json.dumps(document))
"""

WAITING = """
print(json.dumps({"event": "ready", "pid": os.getpid(), "port": PORT}), flush=True)
signal.sigwait([signal.SIGTERM])
"""


@pytest.fixture
def fake_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a server, a front end and a loader; return the log of the loader's arguments."""
    log = tmp_path / "loads"
    programs = tmp_path / "programs"
    programs.mkdir()
    block = "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])\n"
    install(programs, "stallscope-server", f"{block}PORT = 7400\n{WAITING}", monkeypatch)
    install(programs, "stallscope-wake", f"{block}PORT = 7500\n{WAITING}", monkeypatch)
    body = f"LOG = {str(log)!r}\nLOADED = json.loads({json.dumps(LOADED)!r})\n{LOADER}"
    install(programs, "stallscope-load", body, monkeypatch)
    return log


def test_the_table_of_connections_has_a_row_for_each_before_and_after(
    fake: Fake, fake_load: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = fake.content()
    words = [
        "--load", "--connections", "1,16", "--loop", "closed", "--seconds", "10", "--warmup", "3",
        "--rounds", "2", "--setting", "shallow=--states C1",
    ]  # fmt: skip
    assert fake.run(*words, "--json") == 0
    printed = capfd.readouterr().out.encode()
    document = json.loads(printed)
    assert document["load"] == {
        "loop": "closed",
        "rate_per_s": None,
        "seconds": 10,
        "warmup_s": 3,
        "connections": [1, 16],
        "processes": 2,
    }
    runs = [line.split() for line in fake_load.read_text().splitlines()]
    assert len(runs) == 2 * 3 * 2  # rounds, settings, numbers of connections
    for run in runs:
        arguments = dict(zip(run[::2], run[1::2], strict=True))
        assert (arguments["--mode"], arguments["--duration"]) == ("closed", "10")
        assert (arguments["--warmup"], arguments["--target"]) == ("3", "127.0.0.1:7400")
    for setting in document["settings"]:
        metrics = setting["metrics"]
        assert list(metrics) == [
            f"latency_{rank}_us:{count}" for count in (1, 16) for rank in ("p50", "p99")
        ]
        assert [metrics[f"latency_p50_us:{count}"]["median"] for count in (1, 16)] == [10, 160]
        assert all(len(metric["values"]) == 2 for metric in metrics.values())
    shallow = document["settings"][2]["metrics"]["latency_p50_us:16"]
    assert (shallow["delta_share"], shallow["p"], shallow["p_holm"]) == (0, 1, 1)
    assert any("the load runs on this machine" in note for note in document["notes"])
    assert "2 rounds are too few for 1 setting and 4 metrics" in document["conclusions"][0]
    assert fake.content() == before

    lines_printed = list(lines(decode(printed, CStatesCompareResult, "printed"), 100))
    text = " ".join(" ".join(lines_printed).split())
    assert (
        "Each run: 10 s of a closed loop (each reply triggers the next request) after 3 s of "
        in text
    )
    assert "warm-up, which is not measured; 2 processes (loader and server)" in text
    at = lines_printed.index("latency p50, us: before: as it is; after: shallow")
    heads, *rows = [" ".join(line.split()) for line in lines_printed[at + 1 : at + 4]]
    assert heads == "Connections n Before Interval n After Interval Delta p p (Holm)"
    assert rows == [
        f"{count} 2 {us} {us} to {us} 2 {us} {us} to {us} +0.0 % 1.000 1.000"
        for count, us in ((1, 10), (16, 160))
    ]


def test_three_processes_are_a_chain_with_a_front_end(
    fake: Fake, fake_load: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--load", "--processes", "3", "--rounds", "1", "--setting", "shallow=--states C1"]
    assert fake.run(*words, "--json") == 0
    document = json.loads(capfd.readouterr().out)
    assert document["load"]["processes"] == 3
    assert document["load"]["loop"] == "open"
    assert list(document["settings"][0]["metrics"]) == [
        "latency_p50_us", "latency_p99_us", "server_cpu_s",
    ]  # fmt: skip
    assert "--target 127.0.0.1:7500" in fake_load.read_text()


def test_a_machine_with_one_sleep_state_says_what_cannot_be_shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    guest = Fake(tmp_path, "haltpoll-vm")
    assert guest.run("--rounds", "1", "--setting", "nice=--nice 1", "--", "true") == 0
    text = " ".join(capfd.readouterr().out.split())
    assert "Cannot be shown here: haltpoll idle is the only sleep state" in text
    assert guest.run("--rounds", "1", "--json", "--", "true") == 0
    (missing,) = json.loads(capfd.readouterr().out)["not_shown"]
    assert "what deeper states cost against shallower ones cannot" in missing
    server = Fake(tmp_path, "ice-lake-server")
    assert server.run("--rounds", "1", "--json", "--setting", "n=--nice 1", "--", "true") == 0
    assert json.loads(capfd.readouterr().out)["not_shown"] == []
    without = Fake(tmp_path, "no-cpuidle")
    assert without.run("--rounds", "1", "--", "true") == ExitCode.UNABLE
    assert "none can be compared with another" in capfd.readouterr().err

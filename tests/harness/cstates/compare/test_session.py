"""`stallscope cstates compare` on made machines, whose counters do not move."""

import json
from pathlib import Path

import pytest

from cstates.comparison.candidates import AS_IT_IS, CONTROL, Candidate, Candidates
from cstates.comparison.differences import Run, compare
from cstates.pinning.request import PinRequest
from harness.cli.command_line import main
from harness.cstates.compare.session import CompareOutcome, CompareRequest
from harness.cstates.compare.text import conclusions, document, lines
from stallscope.errors import ExitCode
from tests.cstates.machine_trees import expand


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


def test_each_setting_is_run_each_round_and_all_is_put_back(
    fake: Fake, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = fake.content()
    log = tmp_path / "log"
    governor = fake.tree / "sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
    script = f"cat {governor} >> {log}; echo this is discarded"
    words = ["--rounds", "2", "--setting", "fast=--governor performance", "--json"]
    assert fake.run(*words, "--", "sh", "-c", script) == 0
    made = json.loads(capfd.readouterr().out)
    assert fake.content() == before
    usual = governor.read_text().strip()
    assert sorted(log.read_text().split()) == sorted([usual, usual, "performance"] * 2)
    assert made["schema"] == "stallscope.cstates.compare/1"
    assert made["rounds"] == 2
    assert made["control"] == made["settings"][1]["name"] == CONTROL
    control = made["settings"][1]["metrics"]["wall_s"]
    assert (control["shown"], control["standing"], control["p_holm"]) == (False, None, None)
    fast = made["settings"][2]
    assert fast["name"] == "fast"
    assert any(change["new"] == "performance" for change in fast["plan"])
    assert len(fast["metrics"]["wall_s"]["values"]) == 2
    assert fast["metrics"]["wall_s"]["p"] > 0.3  # of two and two, 2 / 6 at the least
    assert all(value > 0 for value in fast["metrics"]["wall_s"]["values"])
    assert fast["entries"] == [{}, {}]  # a made machine's counters stand still, and show nothing
    assert any("counters stand still" in note for note in made["notes"])
    assert made["conclusions"][0].startswith(
        "No verdict: 2 rounds are too few for 1 setting and 2 metrics; "
    )


def test_the_table_has_a_row_a_setting_and_says_what_is_known(
    fake: Fake, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--rounds", "4", "--setting", "shallow=--states C1", "--", "true"]
    assert fake.run(*words) == 0
    printed = capfd.readouterr().out
    assert "wall time, ms:" in printed
    assert "CPU time, ms:" in printed
    assert sum(line.strip().startswith("shallow  ") for line in printed.splitlines()) == 3
    entries = printed.partition("Entries")[2]
    assert entries.count("n/a") == 3  # its counters stand still: that it never slept is not known
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
    ("words", "said"),
    [
        (("--rounds", "6"), "name a command"),
        (("--load", "--", "true"), "name a command"),
        (("--load",), "--load needs this machine"),
        (("--setting", "a", "--", "true"), "no NAME=OPTIONS"),
        (("--setting", "a=--wrong 1", "--", "true"), "No such option"),
        (("--setting", "a=--states 'C1", "--", "true"), "No closing quotation"),
        (("--setting", "a=", "--", "true"), "nothing to pin was asked for"),
        (("--setting", "a=--states C9", "--", "true"), "no CPU here has a state 'C9'"),
        (("--setting", "a=--nice 1 --cpus 0", "--", "true"), "cannot differ between settings"),
        (("--setting", "as it is=--nice 1", "--", "true"), "is there twice"),
        (("--setting", "as it is, again=--nice 1", "--", "true"), "is there twice"),
        (("--least-effect", "-1", "--", "true"), "--least-effect"),
        (("--least-effect", "nan", "--", "true"), "--least-effect"),
        (("--cpus", "0-x", "--", "true"), "0-x"),
    ],
)
def test_words_that_mean_nothing_are_refused(
    fake: Fake, words: tuple[str, ...], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert fake.run(*words) == ExitCode.USAGE
    assert said in capfd.readouterr().err


def outcome(
    values: dict[str, float],
    *,
    steadiness: float = 100,
    others_s: float | None = None,
    entries: int = 9,
) -> CompareOutcome:
    """Ten runs of each setting that begin at its value and rise a little, on one CPU."""
    made = [
        Run(
            name,
            1.0,
            {"wall_s": value + n / steadiness},
            {"C1": entries},
            without_effect=name == "fast" and n < 2,
            cpus=1,
            others_s=others_s,
        )
        for name, value in values.items()
        for n in range(10)
    ]
    chosen = tuple(Candidate(name, PinRequest()) for name in values)
    request = CompareRequest(Candidates(chosen, (("x", "why"),)), ("cmd",), None, 10, 1)
    found = compare(list(values), made)
    return CompareOutcome(request, found, {}, ("a note",), 10, interrupted=False)


def test_a_gain_is_told_with_its_p_and_never_with_a_p_of_zero() -> None:
    text = "\n".join(lines(outcome({AS_IT_IS: 2, CONTROL: 2, "fast": 1}), 120))
    assert "fast: 48.9 % less wall time (p <0.001 after Holm; as it is differs from itself" in text
    assert "itself by 0.0 %)." in text
    assert "<0.001*" in text
    assert "Nothing to gain" not in text
    assert "fast: accepted but without effect in 2 of 10 runs" in text
    assert "x was left out: why" in text
    assert "Note: a note" in text


def test_a_small_difference_is_told_and_counts_for_none() -> None:
    given = outcome({AS_IT_IS: 2, CONTROL: 2, "fast": 1.99}, steadiness=10_000)
    text = " ".join(conclusions(given))
    assert "0.5 % less wall time (p <0.001 after Holm): no difference, for less than 1 %" in text
    assert "Nothing to gain that 10 rounds show" in text


def test_without_a_steady_control_there_is_no_verdict() -> None:
    text = " ".join(conclusions(outcome({AS_IT_IS: 2, CONTROL: 1.7, "fast": 1})))
    assert "No verdict on wall time: as it is differs from itself by 14.7 % (p <0.001)" in text
    assert "fast:" not in text
    assert "Nothing to gain" not in text


SAME = {AS_IT_IS: 2.0, CONTROL: 2.0, "same": 2.0}


def test_what_others_had_of_the_cpus_is_told() -> None:
    text = " ".join(lines(outcome(SAME, others_s=0.04), 200))
    assert "Others, be it programs or the host, had 4.0 % of these CPUs' time" in text
    assert "Nothing to gain that 10 rounds show" in text
    assert "had an unknown share of these CPUs' time" in " ".join(lines(outcome(SAME), 200))
    assert document(outcome(SAME, others_s=0.04))["others_share"] == pytest.approx(0.04)
    assert document(outcome(SAME))["others_share"] is None


@pytest.mark.parametrize("entries", [0, 9])
def test_on_a_machine_too_busy_nothing_to_gain_is_no_verdict(entries: int) -> None:
    """Others that keep the CPUs awake hide what sleeping costs, and keep them from sleeping."""
    (text,) = conclusions(outcome(SAME, others_s=0.35, entries=entries))
    assert "the machine was too busy. Others had 35.0 % of these CPUs' time" in text


def test_a_gain_counts_on_a_busy_machine_as_well() -> None:
    (text,) = conclusions(outcome({AS_IT_IS: 2, CONTROL: 2, "fast": 1}, others_s=0.35))
    assert text.startswith("fast: 48.9 % less wall time")

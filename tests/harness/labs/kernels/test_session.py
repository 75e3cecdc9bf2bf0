"""`stallscope lab kernels`: answers compared in common words, rows of every kind, the gate."""

import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from harness.cli.command_line import group
from harness.labs.kernels import session as engine
from harness.labs.kernels import sources as kernels_sources
from harness.labs.kernels.answers import cut, found_in, in_answers_words, is_right
from harness.labs.kernels.known_kernels import KnownKernel, known_kernels, trial
from harness.labs.kernels.session import Row, Sources, Verdict, rows
from harness.labs.kernels.text import document, line, notes
from harness.machine_checks.check import Status
from harness.topdown.engine import Taken
from harness.topdown.request import Request, Source
from stallscope.errors import TargetError, UnableError, UsageError
from tests.harness.labs.stages.measurements import SETTINGS
from topdown.slots.measurement import Kind, MeasuredNode, Measurement

DRAM = "backend_bound/memory_bound/dram"
CORE = "backend_bound/core_bound"
MODELLED_TREE = {
    "retiring": None, "bad_speculation": None, "frontend_bound": None, "backend_bound": None,
    "unexplained": None, "branch_mispredicts": "bad_speculation", "core_dependency": "backend_bound",
    "l1_latency": "backend_bound", "l2_bound": "backend_bound", "dram_bound": "backend_bound",
}  # fmt: skip


def measurement(
    *path: str, kind: Kind = Kind.MODELLED, tree: dict[str, str | None] | None = None, greatest: str = ""
) -> Measurement:  # fmt: skip
    """A measurement of a tree, with this path marked and this root the greatest."""
    tree = tree or MODELLED_TREE
    nodes = tuple(
        MeasuredNode(name, 2 if parent else 1, parent, 0.9 if name == greatest else 0.02, "slots")
        for name, parent in tree.items()
    )
    return Measurement(
        kind=kind, source="the model", cpu="", title="", whole=1.0, nodes=nodes, ipc=None,
        interval_label="", bottleneck=path or None, bottleneck_why="by test",
    )  # fmt: skip


def kernel(name: str = "pointer-chase-dram", expected: str = DRAM, threads: int = 1) -> KnownKernel:
    return KnownKernel(name, expected, threads, held_out=False)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (("Backend_Bound", "Memory_Bound", "DRAM_Bound", "MEM_Latency"), DRAM),
        (("backend_bound", "backend_bound_memory"), "backend_bound/memory_bound"),
        (("backend_bound", "backend_bound_by_cpu"), CORE),
        (("backend_bound", "divider"), CORE),
        (("backend_bound", "dram_bandwidth"), DRAM),
        (("Backend_Bound", "Core_Bound", "Ports_Utilization"), CORE),
        (("Frontend_Bound", "Fetch_Latency", "ICache_Misses"), "frontend_bound/fetch_latency"),
        (("bad_speculation", "bad_speculation_mispredicts"), "bad_speculation/branch_mispredicts"),
        (("Retiring", "Light_Operations"), "retiring"),
        (("backend_stalled_cycles",), ""),
    ],
)
def test_every_sources_names_become_the_words_of_answers(path: tuple[str, ...], words: str) -> None:
    assert "/".join(in_answers_words(path)) == words


@pytest.mark.parametrize(
    ("expected", "path", "right"),
    [
        (DRAM, ("backend_bound", "dram_bound"), True),
        (DRAM, ("backend_bound", "l2_bound"), False),
        (DRAM, ("backend_bound",), False),  # the tree has deeper nodes there: it was not told
        (CORE, ("backend_bound", "core_dependency"), True),
        (CORE, ("retiring",), False),
        ("frontend_bound/fetch_latency", ("frontend_bound",), True),  # the tree has none below
    ],
)
def test_an_answer_is_as_deep_as_its_tree(
    expected: str, path: tuple[str, ...], right: bool
) -> None:
    seen = measurement(*path)
    found = found_in(seen)
    assert found is not None
    assert is_right(expected, found, seen) is right


def test_a_deeper_answer_is_shown_as_the_expected_one() -> None:
    found = ("backend_bound", "memory_bound", "dram")
    assert cut(found, "backend_bound/memory_bound") == "backend_bound/memory_bound"
    assert cut(found, CORE) == DRAM


def test_without_a_mark_retiring_is_an_answer_and_a_loss_is_none() -> None:
    assert found_in(measurement(greatest="retiring")) == ("retiring",)
    assert found_in(measurement(greatest="backend_bound")) is None
    assert found_in(measurement("backend_bound", kind=Kind.UNAVAILABLE)) is None


def made(kernels: tuple[KnownKernel, ...], sources: Sources) -> list[Row]:
    return list(rows(kernels, sources, lambda _: None))


def test_counters_are_preferred_to_the_model() -> None:
    counted = measurement("backend_bound", "l2_bound", kind=Kind.MEASURED)
    both = Sources(measured=lambda _: counted, modelled=lambda _: measurement())
    (row,) = made((kernel(),), both)
    assert (row.kind, row.verdict) == (Kind.MEASURED, Verdict.WRONG)
    assert row.found == "backend_bound/memory_bound/l2"


def test_what_no_simulation_sees_is_to_be_unexplained() -> None:
    store = kernel("store-forwarding", "backend_bound/memory_bound/l1")
    honest = Sources(modelled=lambda _: measurement("unexplained"))
    (row,) = made((store,), honest)
    assert (row.verdict, row.found) == (Verdict.BEYOND, "unexplained")
    bold = Sources(modelled=lambda _: measurement("backend_bound", "core_dependency"))
    assert made((store,), bold)[0].verdict is Verdict.WRONG
    counted = Sources(measured=lambda _: measurement("unexplained", kind=Kind.MEASURED))
    assert made((store,), counted)[0].verdict is Verdict.WRONG


def test_several_threads_are_beyond_the_model() -> None:
    shared = kernel("false-sharing", "backend_bound/memory_bound", threads=2)
    (row,) = made((shared,), Sources(modelled=lambda _: measurement("backend_bound")))
    assert (row.verdict, row.kind, row.found) == (Verdict.BEYOND, Kind.UNAVAILABLE, None)


def test_a_program_that_fails_leaves_the_others_their_rows() -> None:
    def fails(which: KnownKernel) -> Measurement:
        if which.name == "first":
            raise TargetError("it fell over", "pick it up")
        return measurement("backend_bound", "dram_bound")

    first, second = made((kernel("first"), kernel("second")), Sources(modelled=fails))
    assert (first.verdict, first.why) == (Verdict.FAILED, "it fell over; pick it up")
    assert second.verdict is Verdict.RIGHT


def test_the_document_has_what_scripts_rely_on() -> None:
    seen = made((kernel(),), Sources(modelled=lambda _: measurement("backend_bound", "dram_bound")))
    written = json.loads(json.dumps(document(seen, SETTINGS)))
    assert written["schema"] == "stallscope.lab.kernels/1"
    (row,) = written["rows"]
    assert {key: row[key] for key in ("kernel", "expected", "found", "kind")} == {
        "kernel": "pointer-chase-dram",
        "expected": DRAM,
        "found": DRAM,
        "kind": "modelled",
    }
    assert written["settings"]["states"][1]["entries"] == 9
    assert document(seen, None)["settings"] is None


def test_the_table_says_why_a_row_is_not_right() -> None:
    seen = made((kernel(),), Sources(modelled=lambda _: measurement("backend_bound", "l2_bound")))
    assert "wrong" in line(seen[0])
    text = "\n".join(notes(seen, 80))
    assert "pointer-chase-dram: by test" in text
    assert text.endswith("0 right, 1 wrong")


def test_an_unknown_kernel_is_answered_with_near_ones() -> None:
    with pytest.raises(UsageError) as refused:
        known_kernels(("divide-chian",))
    assert "divide-chain" in refused.value.remedy


def test_the_gate_is_shut_where_nothing_could_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: KnownKernel) -> Measurement:
        raise UnableError("no valgrind", "install it")

    monkeypatch.setattr(kernels_sources, "available_sources", lambda: Sources(modelled=fails))
    words = ["lab", "kernels", "--kernel", "divide-chain", "--gate"]
    ran = CliRunner().invoke(group, words, standalone_mode=False)
    assert ran.return_value == 1
    assert "no valgrind; install it" in ran.output


@pytest.mark.parametrize(("found", "status"), [("dram_bound", 0), ("l2_bound", 1)])
def test_the_gate_is_shut_where_an_answer_is_wrong(
    monkeypatch: pytest.MonkeyPatch, found: str, status: int
) -> None:
    sources = Sources(modelled=lambda _: measurement("backend_bound", found))
    monkeypatch.setattr(kernels_sources, "available_sources", lambda: sources)
    words = ["lab", "kernels", "--kernel", "pointer-chase-dram"]
    gated = CliRunner().invoke(group, [*words, "--gate"], standalone_mode=False)
    assert gated.return_value == status
    plain = CliRunner().invoke(group, words, standalone_mode=False)
    assert plain.return_value == 0
    assert "sleep states: " in plain.stdout


def test_every_expected_answer_is_one_that_can_be_found() -> None:
    for each in known_kernels():
        if each.is_of_slots:
            assert "/".join(in_answers_words(each.expected.split("/"))) == each.expected
    assert {each.name for each in known_kernels()} >= engine.NOT_SIMULATED


def test_counters_look_at_a_program_that_has_made_its_working_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Request] = []

    def count(request: Request, *_: object) -> Taken:
        asked.append(request)
        return Taken(measurement("backend_bound", "divider", kind=Kind.MEASURED))

    available = SimpleNamespace(status=Status.AVAILABLE)
    monkeypatch.setattr(kernels_sources, "pmu_check", lambda _: available)
    monkeypatch.setattr(kernels_sources, "take", count)
    divide = known_kernels(("divide-chain",))
    (row,) = made(divide, kernels_sources.available_sources())
    assert (row.verdict, row.kind) == (Verdict.RIGHT, Kind.MEASURED)
    (request,) = asked
    assert request.source is Source.PMU
    assert request.choice is not None
    assert len(request.choice.pids) == 1


def test_a_trial_tells_the_pace_from_the_set_up() -> None:
    quick, chase = known_kernels(("dependent-chain", "pointer-chase-dram"))
    shown = trial(chase)
    assert shown.set_up_cpu_s > trial(quick).set_up_cpu_s
    assert 0 < shown.iterations_per_cpu_s < trial(quick).iterations_per_cpu_s


def test_what_is_done_is_printed_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def until_interrupted(which: KnownKernel) -> Measurement:
        if which.name != "independent-adds":
            raise KeyboardInterrupt
        return measurement(greatest="retiring")

    monkeypatch.setattr(
        kernels_sources, "available_sources", lambda: Sources(modelled=until_interrupted)
    )
    words = ["lab", "kernels", "--json", "--kernel", "independent-adds", "--kernel", "divide-chain"]
    ran = CliRunner().invoke(group, words)
    assert ran.exit_code != 0
    (row,) = json.loads(ran.stdout.splitlines()[0])["rows"]
    assert (row["kernel"], row["verdict"]) == ("independent-adds", "right")

"""Text of perf script: the names and counts of stackcollapse-perf, and profiles."""

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from stallscope._native import PerfScriptSamples
from stallscope.errors import RecordingError
from topdown.stacks.formats.perf_script import FoldedNames, fold_perf_script, read_perf_script
from topdown.stacks.profile import FunctionKind

TEXT = rb"""# cmdline : /usr/bin/perf record -g ./prog
V8 WorkerThread 25607/25608 4794564.109216:     250000 cycles:u:
    ffffffff8103ce3b native_safe_halt+0x12 ([kernel.kallsyms])
        7f1 foo;bar<int>(A, B)::operator()(int) const+0x3 (/usr/lib/x.so)
        7f2 (anonymous namespace)::baz(int) (/usr/lib/x.so)
        7f3 [unknown] (/usr/lib/y.so.1)
        7f4 [unknown] ([unknown])
        7f5 a->b->c (inlined)
        7f6 net/http.(*Client).Do+0x1 (/bin/go)
        7f7 RegExp:[&<>\"\'] (/tmp/perf-7539.map)
        7f8 Lorg/x/Y;.call(Lorg/z;)V (/tmp/perf-1.map)

java 12 [002] 6544038.708352: cpu-clock:
        7f9 foo->bar->qux ([nf_conntrack_ipv4])

java 12 [002] 6544038.708352: 7 cycles:u:
        7f8 Lorg/x/Y;.call(Lorg/z;)V (/tmp/perf-1.map)

empty 1/2 [000] 1.0: 5 cycles:u:

noblank 1/2 [000] 1.0: 5 cycles:u:
    1 last (/bin/x)"""
V8 = (
    rb"Lorg/x/Y:.call;RegExp:[&<>\\];net/http.(*Client).Do;a;b_[i];c_[i];[unknown];[y.so.1];"
    rb"foo:bar<int>;native_safe_halt"
)


def folded(tmp_path: Path, text: bytes = TEXT, **names: object) -> list[bytes]:
    file = tmp_path / "perf.txt"
    file.write_bytes(text)
    content, _ = fold_perf_script(file, "perf.txt", FoldedNames(**names))
    return content.splitlines()


def test_names_and_periods_are_those_of_stackcollapse_perf(tmp_path: Path) -> None:
    assert folded(tmp_path) == [
        b"V8_WorkerThread;" + V8 + b" 250000",
        b"empty 5",  # a sample without frames
        b"java;org/x/Y:.call 7",
        b"noblank;last 5",  # the last sample has no blank line after it
    ]


@pytest.mark.parametrize(
    ("names", "line"),
    [
        ({"process_ids": True}, b"java-?;org/x/Y:.call 7"),
        ({"thread_ids": True}, b"noblank-1/2;last 5"),
        ({"kernel": True}, b"V8_WorkerThread;" + V8 + b"_[k] 250000"),
        ({"jit": True}, b"java;org/x/Y:.call_[j] 7"),
        (
            {"addresses": True},
            b"V8_WorkerThread;"
            + V8.replace(b"[unknown];[y.so.1]", b"[unknown <7f4>];[y.so.1 <7f3>]")
            + b" 250000",
        ),
        ({"event": "cpu-clock"}, b"java;foo;bar_[i];qux_[i] 1"),
    ],
)
def test_options_change_the_names(tmp_path: Path, names: dict[str, object], line: bytes) -> None:
    assert line in folded(tmp_path, **names)


def test_the_idle_task_has_no_process_as_in_stackcollapse_perf(tmp_path: Path) -> None:
    text = b"swapper 0/0 1.0: 3 cycles:\n\t1 idle ([kernel.kallsyms])\n\n"
    assert folded(tmp_path, text, thread_ids=True) == [b"swapper-?/0;idle 3"]
    assert folded(tmp_path, text, process_ids=True) == [b"swapper-?;idle 3"]


def test_names_that_are_not_utf8_are_kept(tmp_path: Path) -> None:
    text = b"caf\xe9 1/2 1.0: 3 cycles:\n\t1 f\xff (/x)\n\n"
    assert folded(tmp_path, text) == [b"caf\xe9;f\xff 3"]
    (tmp_path / "perf.txt").write_bytes(text)
    profile = read_perf_script(tmp_path / "perf.txt", "perf.txt")
    assert profile.threads[0].process_name == "caf�"


def test_a_profile_has_threads_kinds_and_periods(tmp_path: Path) -> None:
    file = tmp_path / "perf.txt"
    file.write_bytes(TEXT)
    profile = read_perf_script(file, "perf.txt")
    assert (profile.source.event, profile.samples) == ("cycles:u", 4)
    assert int(profile.weight_value.sum()) == 250_000 + 7 + 5 + 5
    kinds = {function.name: function.kind for function in profile.functions}
    assert kinds["native_safe_halt"] == FunctionKind.KERNEL
    assert kinds["b"] == FunctionKind.INLINED
    assert kinds["[unknown]"] == FunctionKind.UNKNOWN
    assert {(t.process_name, t.pid, t.tid) for t in profile.threads} >= {
        ("V8 WorkerThread", 25607, 25608),
        ("java", 12, 12),
    }
    assert "cpu-clock (1 samples)" in profile.warnings[0].message


def test_malformed_lines_are_counted_and_the_first_is_named(tmp_path: Path) -> None:
    file = tmp_path / "perf.txt"
    file.write_bytes(b"no frame here)\n" + TEXT + b"\n)(\n")
    _, warning = fold_perf_script(file, "perf.txt")
    assert "2 malformed lines are left out, the first is 1" in warning


def test_text_without_a_sample_is_an_error_with_the_events(tmp_path: Path) -> None:
    file = tmp_path / "perf.txt"
    file.write_bytes(b"nothing\n")
    with pytest.raises(RecordingError, match="no sample in the text"):
        fold_perf_script(file, "perf.txt")
    file.write_bytes(TEXT)
    with pytest.raises(RecordingError, match="no sample of this event") as caught:
        fold_perf_script(file, "perf.txt", FoldedNames(event="page-faults"))
    assert "cycles:u" in caught.value.remedy


def test_samples_have_their_times_by_ascending_time(tmp_path: Path) -> None:
    file = tmp_path / "perf.txt"
    file.write_text(
        "a 1/1 7.5: 9 cycles:\n\t1 f (/x)\n\na 1/2 7.25: 8 cycles:\n\t1 g (/x)\n\n"
        "a 1/1 8.000000001: 7 cycles:\n\t1 f (/x)\n"
    )
    profile = read_perf_script(file, "perf.txt")
    times = profile.times
    assert times is not None
    assert times.time_ns.tolist() == [0, 250_000_000, 750_000_001]
    assert times.value.tolist() == [8, 9, 7]
    names = [profile.functions[profile.node_function[node]].name for node in times.node]
    assert names == ["g", "f", "f"]
    assert [profile.threads[number].tid for number in times.thread] == [2, 1, 1]


def test_times_of_a_part_of_the_samples_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "perf.txt"
    file.write_text("a 1/1 7.5: 9 cycles:\n\t1 f (/x)\n\na 1/1 cycles:\n\t1 f (/x)\n")
    profile = read_perf_script(file, "perf.txt")
    assert profile.times is None
    assert any("of the weight has no time" in warning.message for warning in profile.warnings)


def test_more_samples_than_the_limit_have_no_times(tmp_path: Path) -> None:
    file = tmp_path / "perf.txt"
    file.write_text("a 1/1 7.5: 9 cycles:\n\t1 f (/x)\n\n" * 3)
    for limit, kept in ((2, 0), (3, 3)):
        samples = PerfScriptSamples(
            shorten=False,
            kernel=False,
            jit=False,
            addresses=False,
            process_ids=True,
            thread_ids=True,
            event="",
            max_times=limit,
        )
        with file.open("rb") as opened:
            samples.read(opened.fileno())
        assert samples.has_too_many_times == (not kept)
        assert len(samples.times()["stack"]) == kept


NAME = st.text("abcXYZ019_:<>[]*,.~é", min_size=1, max_size=9).filter(
    lambda name: name != "[unknown]"
)


@given(
    st.lists(st.tuples(st.lists(NAME, min_size=1, max_size=5), st.integers(1, 10**6)), min_size=1)
)
def test_the_sum_of_periods_by_stack_is_kept(
    tmp_path_factory: pytest.TempPathFactory, samples: list[tuple[list[str], int]]
) -> None:
    file = tmp_path_factory.getbasetemp() / "property.txt"
    expected: dict[str, int] = {}
    with file.open("w") as text:
        for stack, period in samples:
            text.write(f"cmd 1/1 1.0: {period} cycles:\n")
            text.writelines(f"\t1 {name} (/x)\n" for name in reversed(stack))
            text.write("\n")
            key = ";".join(["cmd", *stack])
            expected[key] = expected.get(key, 0) + period
    content, _ = fold_perf_script(file, "property.txt")
    rows = [line.rpartition(" ") for line in content.decode().splitlines()]
    assert {stack: int(count) for stack, _, count in rows} == expected


@pytest.mark.parametrize(
    ("line", "unit", "scope"),
    [
        (b"a 1/1 1.0: 250000 cpu-clock:", "ns", "user+kernel"),
        (b"a 1/1 1.0: cpu-clock:", "samples", "user+kernel"),  # 1 is not a nanosecond
        (b"a 1/1 1.0: 7 cycles:upp:", "events", "user"),
        (b"a 1/1 1.0: 7 cycles:k:", "events", "kernel"),
        (b"a 1/1 1.0: 7 sched:sched_switch:", "events", "user+kernel"),
    ],
)
def test_unit_and_scope_follow_from_the_line(
    tmp_path: Path, line: bytes, unit: str, scope: str
) -> None:
    file = tmp_path / "perf.txt"
    file.write_bytes(line + b"\n\t1 f (/x)\n")
    source = read_perf_script(file, "perf.txt").source
    assert (source.unit, source.scope) == (unit, scope)


def test_samples_without_a_period_are_reported_beside_others(tmp_path: Path) -> None:
    file = tmp_path / "perf.txt"
    file.write_bytes(b"a 1/1 1.0: 9 cycles:\n\na 1/1 1.5: cycles:\n")
    profile = read_perf_script(file, "perf.txt")
    assert "1 of 2 samples have no period and count as 1" in profile.warnings[0].message
    assert profile.duration_s == 0.5


ORIGINAL = "stackcollapse-perf.pl"
COMMANDS = ("java", "javac", "V8 Worker", "xy 1z y", "kworker/0:1", "12", "swapper")
SYMBOLS = (
    "main", "[unknown]", "foo;bar<int>(A, B)::operator()(int) const", "a->b->c", "->x", "x->",
    "(anonymous namespace)::baz(int)", "net/http.(*Client).Do", r"RegExp:[&<>\"\']", "(sh)",
    "Lorg/x/Y;.call(Lorg/z;)V", "f_[i]->g_[i]", "g_[j]", "L/x", "[unknown]->f", "f(", "\xe9",
)  # fmt: skip
FILES = (
    "[kernel.kallsyms]", "[unknown]", "/usr/lib/x.so", "/tmp/perf-12.map", "/tmp/perf-x.map", "[nf]",
    "inlined", "/boot/vmlinux", "//anon", "/a b (deleted)", "[vdso]", "/x/[unknown]/y",
)  # fmt: skip
EVENTS = ("cycles:u", "cpu-clock", "sched:sched_switch")
OPTIONS = {
    "pid": "process_ids",
    "tid": "thread_ids",
    "kernel": "kernel",
    "jit": "jit",
    "addrs": "addresses",
}


def random_text(chance: Random) -> str:
    lines = []
    for _ in range(chance.randint(1, 12)):
        ids = chance.choice(("12/13", "14", "0", "0/0"))
        cpu, period = chance.choice(("[000] ", "")), chance.choice(("", "     250000 ", "7 "))
        lines.append(f"{chance.choice(COMMANDS)} {ids} {cpu}1.5: {period}{chance.choice(EVENTS)}: ")
        for _ in range(chance.randint(0, 5)):
            name = chance.choice(SYMBOLS) + chance.choice(("", "+0x1f", "+0xZ", "+0x"))
            lines.append(f"\t  {chance.getrandbits(48):x} {name} ({chance.choice(FILES)})")
        lines.append("")
    return "\n".join([*lines, ""])


def test_the_original_script_folds_random_texts_alike(tmp_path: Path) -> None:
    script = shutil.which(ORIGINAL)
    if script is None:
        pytest.skip(f"needs the original script: {ORIGINAL} is in no package repository")
    file = tmp_path / "perf.txt"
    for seed in range(40):
        chance = Random(seed)
        file.write_bytes(random_text(chance).encode("latin-1"))
        options = [option for option in OPTIONS if chance.random() < 0.3]
        event = [f"--event-filter={EVENTS[0]}"] if chance.random() < 0.2 else []
        names = FoldedNames(**{OPTIONS[option]: True for option in options})
        if event:
            names = replace(names, event=EVENTS[0])
        words = ["perl", script, *(f"--{option}" for option in options), *event, file]
        original = subprocess.run(words, capture_output=True, check=True).stdout
        try:
            folded, _ = fold_perf_script(file, "perf.txt", names)
        except RecordingError:
            folded = b""
        assert folded == original, f"seed {seed}: {options} {event}"

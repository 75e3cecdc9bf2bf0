"""User stacks: complete by copies without frame pointers, and recorded once for perf."""

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.conftest import public_folder

pytestmark = pytest.mark.live

# Every function works after its call, so that no call becomes a jump.
SOURCE = """
#include <stdio.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noinline)) void leaf(void) { for (unsigned i = 0; i < 5000; i++) sink += i; }
__attribute__((noinline)) void middle(void) { leaf(); sink++; }
__attribute__((noinline)) void outer(void) { middle(); sink++; }
int main(int count, char** words) {
  puts("ready"); fflush(stdout);
  for (unsigned i = 0; count < 2 || i < 30000; i++) outer();
  return words == 0;
}
"""
CHAIN = ["leaf", "middle", "outer", "main"]


@pytest.fixture(scope="module")
def programs() -> Iterator[dict[str, Path]]:
    """The same program with and without frame pointers."""
    if shutil.which("gcc") is None:
        pytest.skip("needs the program gcc")
    with public_folder(0o755) as folder:
        source = folder / "chain.c"
        source.write_text(SOURCE)
        made = {}
        for name, flag in (
            ("kept", "-fno-omit-frame-pointer"),
            ("omitted", "-fomit-frame-pointer"),
        ):
            made[name] = folder / name
            flags = ["-O1", "-g", "-fno-inline", flag]
            subprocess.run(["gcc", *flags, source, "-o", made[name]], check=True)
        yield made


def chains(perf, recording) -> list[list[str]]:
    """The user functions of every sample in leaf, innermost first, as perf reports them."""
    text = perf.text("script", "-f", "-i", recording.samples_file, "-F", "ip,sym", "--no-inline")
    names = [
        [line.split(maxsplit=1)[-1] for line in stack.splitlines() if line.strip()]
        for stack in text.split("\n\n")
    ]
    return [stack[stack.index("leaf") :] for stack in names if "leaf" in stack]


@pytest.mark.parametrize("start", ["attached", "started"])
def test_copied_stacks_are_complete_and_recorded_once(
    record, start_target, programs, perf, start: str
) -> None:
    program = programs["omitted"]
    if start == "started":
        recording = record("--stacks", "dwarf", "-F", 1999, "--", program, "end")
    else:
        target = start_target(program=program)
        recording = record("--stacks", "dwarf", "-F", 499, "-p", target.pid, "--duration", 0.4)
    assert recording.exit_code == 0, recording.messages
    assert recording.document["losses"]["lost_samples"] == 0
    stacks = recording.document["stacks"]
    assert (stacks["requested"], stacks["chosen"], stacks["copy_bytes"]) == ("dwarf", "dwarf", 8192)
    seen = chains(perf, recording)
    assert len(seen) > 10
    whole = Counter(stack[:4] == CHAIN and stack[-1] == "_start" for stack in seen)
    assert whole[True] >= 0.95 * len(seen), [stack for stack in seen if stack[:4] != CHAIN][:3]
    assert all(stack.count("main") <= 1 for stack in seen)


@pytest.mark.parametrize("stack_bytes", [256, 65_528])
def test_the_smallest_and_largest_copies_are_readable(
    record, programs, perf, stack_bytes: int
) -> None:
    words = ("--stacks", "dwarf", "--stack-bytes", stack_bytes, "-F", 199)
    recording = record(*words, "--", programs["omitted"], "end")
    assert recording.exit_code == 0, recording.messages
    assert recording.document["stacks"]["copy_bytes"] == stack_bytes
    assert len(perf.samples(recording)) == recording.document["samples"]


def test_no_stack_is_copied_with_frame_pointers(record, programs) -> None:
    recording = record("--stacks", "fp", "-F", 199, "--", programs["kept"], "end")
    assert recording.exit_code == 0, recording.messages
    stacks = recording.document["stacks"]
    assert (stacks["requested"], stacks["chosen"], stacks["copy_bytes"]) == ("fp", "fp", 0)
    assert recording.samples_file.stat().st_size < 1000 * recording.document["samples"] + 100_000


def test_an_ordinary_user_can_copy_stacks_of_own_processes(
    record, as_ordinary_user, open_folder, programs, perf
) -> None:
    output = open_folder / "run"
    words = ("--stacks", "dwarf", "-F", 1999, "--", programs["omitted"], "end")
    recording = record(*words, output=output, before=as_ordinary_user)
    assert recording.exit_code == 0, recording.messages
    assert recording.document["losses"]["lost_samples"] == 0
    assert sum(stack[:4] == CHAIN for stack in chains(perf, recording)) > 10


def only_process(recording) -> dict:
    (process,) = recording.document["stacks"]["processes"]
    return process


@pytest.mark.parametrize(("name", "chosen"), [("kept", "fp"), ("omitted", "dwarf")])
def test_the_first_samples_decide_how_stacks_are_recorded(
    record, start_target, programs, perf, name: str, chosen: str
) -> None:
    target = start_target(program=programs[name])
    recording = record("-p", target.pid, "-F", 499, "--duration", 0.4)
    assert recording.exit_code == 0, recording.messages
    stacks = recording.document["stacks"]
    assert (stacks["requested"], stacks["chosen"]) == ("auto", chosen)
    process = only_process(recording)
    assert (process["pid"], process["chosen"]) == (target.pid, chosen)
    assert process["probed_samples"] >= 8
    assert (process["whole_share"] >= 0.95) == (chosen == "fp")
    assert name in stacks["why"]
    assert f"stacks {'copied' if chosen == 'dwarf' else 'by frame pointers'}" in recording.messages
    seen = chains(perf, recording)
    whole = sum({"outer", "main"} <= set(stack) for stack in seen)
    assert whole >= 0.95 * len(seen) > 0


def test_processes_of_a_list_are_decided_separately(record, start_target, programs, perf) -> None:
    pids = {name: start_target(program=programs[name]).pid for name in programs}
    recording = record("-p", ",".join(map(str, pids.values())), "-F", 499, "--duration", 0.5)
    assert recording.exit_code == 0, recording.messages
    stacks = recording.document["stacks"]
    assert (stacks["chosen"], stacks["copy_bytes"]) == ("mixed", 8192)
    modes = {process["pid"]: process["chosen"] for process in stacks["processes"]}
    assert modes == {pids["kept"]: "fp", pids["omitted"]: "dwarf"}
    assert len(perf.samples(recording)) == recording.document["samples"]
    # A single event for our reader and for perf, for both kinds of stacks.
    assert perf.text("evlist", "-i", recording.samples_file).split() == ["cpu-clock:HG"] * 2
    seen = chains(perf, recording)
    assert sum({"outer", "main"} <= set(stack) for stack in seen) >= 0.95 * len(seen)
    from stallscope._native import read_capture

    capture = read_capture(str(recording.samples_file))
    kinds = [(event.type, event.config, event.name) for event in capture.attributes]
    assert len(kinds) == 2
    assert len(set(kinds)) == 1
    assert len(capture.time_ns) == recording.document["samples"]


def test_an_idle_process_is_decided_by_its_code(record, programs) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        recording = record("-p", process.pid, "--duration", 0.2)
        process.kill()
    assert recording.exit_code == 5, recording.messages
    process = only_process(recording)
    assert (process["probed_samples"], process["whole_share"]) == (0, None)
    assert "keeps frame pointers, and it was idle" in recording.document["stacks"]["why"]


def test_a_command_is_decided_by_its_code(record, programs) -> None:
    recording = record("-F", 499, "--", programs["omitted"], "end")
    stacks = recording.document["stacks"]
    assert stacks["processes"] == []
    assert "of the code of omitted and its libraries keeps frame pointers" in stacks["why"]


def test_all_stacks_of_cpus_are_copied_if_any_process_needs_it(
    needs_root, record, start_target, programs
) -> None:
    for name in programs:
        start_target(program=programs[name])
    recording = record("-a", "-F", 499, "--duration", 0.3)
    assert recording.exit_code == 0, recording.messages
    stacks = recording.document["stacks"]
    assert stacks["chosen"] == "dwarf"
    assert {process["chosen"] for process in stacks["processes"]} <= {"dwarf"}


def test_the_probe_closes_its_events(start_collector, start_target, programs) -> None:
    target = start_target(program=programs["omitted"])
    collection = start_collector("-p", target.pid)
    started = collection.wait_for("started")
    assert started["stacks"]["chosen"] == "dwarf"
    assert started["stacks"]["text"].startswith("copied (8 KiB per sample): frame pointers reach")
    folder = Path(f"/proc/{collection.process.pid}/fd")
    events = [fd for fd in folder.iterdir() if "perf_event" in str(fd.readlink())]
    collection.send("stop\n")
    recording = collection.end()
    rings = recording.document["attach"]["descriptors"]  # a thread has as many events as rings
    assert len(events) == 2 * rings

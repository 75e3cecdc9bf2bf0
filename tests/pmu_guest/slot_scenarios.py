"""Scenarios for a tree of slots, in the same boot as the other scenarios."""

from pathlib import Path

from tests.pmu_guest.scenarios import COLLECT
from topdown.slots.counting.counting_mode import CountingMode
from topdown.slots.counting.plan import Encoding, plan_of
from topdown.slots.counting.plan_file import Subject, write_plan
from topdown.slots.counting.requested_events import RequestedEvent
from topdown.slots.model import load
from topdown.slots.self_test.session import whole_plan

MODEL = load("neoverse-n1")
ITERATIONS = 9_000_000
INST_RETIRED = 0x08
KERNELS = ("independent-adds", "dependent-chain", "random-branches", "pointer-chase-l1")
COPIES = 12  # copies of an event, more than the number of counters, so that they are multiplexed
STALLED = ("frontend_stalled_cycles", "backend_stalled_cycles")
MISSES = "l1d_cache_mpki"  # uses an event without hardware support


def slot_scenarios(kernels: str, folder: Path) -> dict[str, str]:
    """Return the scripts by name: level 1 alone and with many copies of an event, which are
    multiplexed, and the self-test. `folder` is for plans; `kernels` is a word of the shell."""
    many = tuple(
        RequestedEvent(f"copy{number}", f"copy{number}", Encoding(4, INST_RETIRED))
        for number in range(COPIES)
    )
    command = f"-- {kernels} independent-adds --iterations {ITERATIONS}"
    scripts = {
        name: _count(_plan_text(folder, subject), command)
        for name, subject in {
            "alone": Subject(MODEL, CountingMode(), (*STALLED, MISSES)),
            "turns": Subject(MODEL, CountingMode(), STALLED, many),
        }.items()
    }
    tested = Subject(MODEL, CountingMode(), STALLED)
    path = folder / "plan.json"
    write_plan(path, whole_plan(tested), tested)
    for kernel in KERNELS:
        scripts[kernel] = _count(path.read_text(), f"-- {kernels} {kernel} --json --duration 0.15")
    return scripts


def _plan_text(folder: Path, subject: Subject) -> str:
    options = {item.event: item.encoding for item in subject.requested}
    path = folder / "plan.json"
    write_plan(path, plan_of(MODEL, subject.mode, subject.nodes, requested=options), subject)
    return path.read_text()


def _count(plan: str, command: str) -> str:
    return (
        f"cat >plan.json <<'END'\n{plan}END\n"
        f"{COLLECT} count --plan plan.json -o run --user --window 50 {command}\n"
    )

"""stallscope-kernels NAME: relations between its kernels that hold on any machine and under load.

Time is CPU time per operation, the least of interleaved runs; everything else is a count by the kernel.
"""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.live

Report = dict[str, Any]
Run = Callable[..., Report]


@pytest.fixture(scope="module")
def run(kernels: Path) -> Run:
    """A function that runs a kernel with options and returns its report."""

    def run_kernel(name: str, *options: object) -> Report:
        result = subprocess.run(
            [kernels, name, *map(str, options)], capture_output=True, text=True, check=True
        )
        return json.loads(result.stdout)

    return run_kernel


def min_ns(run: Run, *commands: tuple[object, ...], rounds: int = 4) -> list[float]:
    """Return the least CPU time per iteration of every command; the commands alternate."""
    least = [float("inf")] * len(commands)
    for _ in range(rounds):
        for i, (name, *options) in enumerate(commands):
            report = run(str(name), *options)
            least[i] = min(least[i], report["cpu_ns"] / report["iterations"])
    return least


def test_dependent_additions_are_slower_than_independent_additions(run: Run) -> None:
    independent, dependent, divide = min_ns(
        run,
        ("independent-adds", "--iterations", 1_000_000),
        ("dependent-chain", "--iterations", 1_000_000),
        ("divide-chain", "--iterations", 1_000_000),
    )
    assert dependent > 1.5 * independent
    assert divide > 2 * dependent / 30  # compared with an addition of the chain


@pytest.mark.parametrize("name", ["independent-adds", "dependent-chain"])
def test_the_stated_number_of_instructions_is_executed(
    kernels: Path, name: str, tmp_path: Path
) -> None:
    """A simulator counts the instructions of the function."""
    if shutil.which("valgrind") is None:
        pytest.skip("needs the program valgrind: it is not installed")

    def executed(iterations: int) -> int:
        counts = tmp_path / f"{name}.{iterations}"
        simulator = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}"]
        simulator += [f"--toggle-collect=*{name.replace('-', '_')}*"]
        command = [*simulator, str(kernels), name, "--iterations", str(iterations)]
        subprocess.run(command, capture_output=True, check=True)
        totals = next(x for x in counts.read_text().splitlines() if x.startswith("totals:"))
        return int(totals.split()[1])

    assert executed(3000) - executed(1000) == 32 * 2000


def test_every_memory_level_is_slower_than_the_previous_level(run: Run) -> None:
    l1, l2, dram = min_ns(
        run,
        ("pointer-chase-l1", "--iterations", 4_000_000),
        ("pointer-chase-l2", "--iterations", 1_000_000),
        ("pointer-chase-dram", "--iterations", 100_000),
        rounds=2,
    )
    assert 1.5 * l1 < l2
    assert 2 * l2 < dram


def test_a_stream_hides_the_latency_of_a_chase(run: Run) -> None:
    line, step = min_ns(
        run,
        ("streaming", "--iterations", 2_000_000),
        ("pointer-chase-dram", "--iterations", 100_000),
        rounds=2,
    )
    assert 3 * line < step


def test_random_branches_are_slower_than_periodic_branches(run: Run) -> None:
    randomly, in_turn = min_ns(
        run,
        ("random-branches", "--iterations", 2_000_000),
        ("periodic-branches", "--iterations", 2_000_000),
    )
    assert randomly > 2 * in_turn


def test_large_code_is_slower_and_slower_still_with_jumps(run: Run) -> None:
    loop, straight, branchy = min_ns(
        run,
        ("independent-adds", "--iterations", 1_000_000),
        ("large-straight-code", "--iterations", 200),
        ("large-branchy-code", "--iterations", 100),
    )
    code = {
        name: run(name, "--iterations", 1)["parameters"]["additions_per_iteration"]
        for name in ("large-straight-code", "large-branchy-code")
    }
    assert straight / code["large-straight-code"] > 1.2 * loop / 30
    assert branchy / code["large-branchy-code"] > 2 * straight / code["large-straight-code"]


def test_jumps_in_little_code_are_a_cure_with_the_same_result(run: Run) -> None:
    branchy, compact = min_ns(
        run,
        ("large-branchy-code", "--iterations", 100),
        ("large-branchy-code", "--iterations", 100, "--cured"),
    )
    assert branchy > 3 * compact
    report, cured = (
        run("large-branchy-code", "--iterations", 10, *options) for options in ((), ("--cured",))
    )
    assert cured["result"] == report["result"] > 0


def test_products_are_a_cure_of_divisions(run: Run) -> None:
    divisions, products = min_ns(
        run,
        ("divide-chain", "--iterations", 1_000_000),
        ("divide-chain", "--iterations", 1_000_000, "--cured"),
    )
    assert divisions > 2 * products


def test_a_load_after_two_half_stores_is_slower_than_a_cache_hit(run: Run) -> None:
    forwarding, load = min_ns(
        run,
        ("store-forwarding", "--iterations", 2_000_000),
        ("pointer-chase-l1", "--iterations", 2_000_000),
    )
    assert forwarding > 1.5 * load


def test_counters_in_a_shared_line_are_slower_than_padded_counters(run: Run) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("needs two CPUs: this process may use one")
    short = ("--iterations", 1_000_000, "--cpus", f"{cpus[0]},{cpus[-1]}")
    # The line moves only while both threads run. Other programs may use the CPUs, so the third
    # slowest of many short runs are compared: the slowest may be disturbed.
    apart: list[float] = []
    together: list[float] = []
    ran_in_parallel = False
    for _ in range(60):
        for times_ns, options in ((together, short), (apart, (*short, "--padded"))):
            report = run("false-sharing", *options)
            times_ns.append(report["cpu_ns"] / report["iterations"])
            ran_in_parallel |= report["cpu_ns"] > 1.5 * report["elapsed_ns"]
        if len(apart) >= 5 and sorted(together)[-3] > 1.4 * sorted(apart)[-3]:
            return
    if not ran_in_parallel:
        pytest.skip("needs two CPUs: they were never free at once")
    pytest.fail(f"in one line {sorted(together)} ns, apart {sorted(apart)} ns")


def test_threads_under_a_mutex_wait_and_a_single_thread_does_not(run: Run) -> None:
    many = run("contended-mutex", "--duration", 0.5, "--threads", 4)
    alone = run("contended-mutex", "--duration", 0.5, "--threads", 1)
    assert many["voluntary_switches"] > 5 * (1 + alone["voluntary_switches"])


def with_look_alike(run: Run, name: str) -> tuple[Report, Report]:
    """Return the accounts of a program and of its look-alike, of a run of 0.4 s each."""
    reports = [run(name, "--duration", 0.4, *more) for more in ((), ("--look-alike",))]
    assert [report["parameters"]["look_alike"] for report in reports] == ["no", "yes"]
    assert [report["expected"] for report in reports] == ["waiting: lock", "not waiting: lock"]
    for report in reports:
        account = report["account"]
        assert account["acquisitions"] == report["iterations"]
        assert 0 <= account["waits"] <= account["acquisitions"]
        # At most one thread holds the lock, and at most all of them wait.
        assert account["held_ns"] <= report["elapsed_ns"]
        assert account["wait_ns"] <= report["parameters"]["threads"] * report["elapsed_ns"]
    return reports[0]["account"], reports[1]["account"]


def test_work_under_the_lock_grows_with_the_entries_and_not_in_the_look_alike(run: Run) -> None:
    fault, look_alike = with_look_alike(run, "o-n-critical-section")
    few, many = "least_held_ns_with_few_entries", "least_held_ns_with_many_entries"
    assert fault[many] > 4 * fault[few]
    assert look_alike[many] < 4 * look_alike[few]
    assert look_alike["entries_visited"] == look_alike["acquisitions"]
    assert fault["entries_visited"] > 100 * fault["acquisitions"]


def test_chains_under_the_lock_are_long_and_short_in_the_look_alike(run: Run) -> None:
    fault, look_alike = with_look_alike(run, "hash-under-lock")
    assert (fault["longest_chain"], look_alike["longest_chain"]) == (256, 1)
    assert fault["nodes_visited"] > 64 * fault["acquisitions"]
    assert look_alike["nodes_visited"] == look_alike["acquisitions"]
    held = [account["held_ns"] / account["acquisitions"] for account in (fault, look_alike)]
    assert held[0] > held[1]


def test_the_holder_of_the_spin_lock_is_preempted_and_not_that_of_the_look_alike(run: Run) -> None:
    """Threads of both are preempted alike; only the place of the work differs."""
    fault, look_alike = with_look_alike(run, "spin-convoy")
    assert fault["holder_preemptions"] > 0
    assert fault["held_ns_with_preemption"] > 0
    assert look_alike["preemptions"] > 0
    shares = [
        account["holder_preemptions"] / account["preemptions"] for account in (fault, look_alike)
    ]
    assert shares[0] > 2 * shares[1]
    waits = [account["wait_ns"] / account["acquisitions"] for account in (fault, look_alike)]
    assert waits[0] > 2 * waits[1]


def test_every_item_wakes_the_whole_herd(run: Run) -> None:
    report = run("thundering-herd", "--iterations", 1000, "--threads", 8)
    assert report["iterations"] == 8000
    assert report["result"] == 1000
    switches = report["voluntary_switches"] + report["involuntary_switches"]
    assert switches > 0.5 * 7 * 1000


def test_every_iteration_is_a_minor_fault(run: Run) -> None:
    report = run("page-faults", "--iterations", 20_000)
    assert 20_000 <= report["minor_faults"] < 20_200
    assert report["result"] == 20_000
    assert run("system-calls", "--iterations", 1000)["minor_faults"] < 200


def test_system_calls_use_system_time(run: Run) -> None:
    # Enough CPU time for kernels that measure user and system time by ticks.
    report = run("system-calls", "--iterations", 250_000)
    assert report["result"] == report["iterations"] == 250_000
    assert report["system_ns"] > 0.5 * (report["user_ns"] + report["system_ns"])
    arithmetic = run("dependent-chain", "--iterations", 20_000_000)
    assert arithmetic["system_ns"] < 0.2 * (arithmetic["user_ns"] + arithmetic["system_ns"])


def test_every_turn_is_a_sleep(run: Run) -> None:
    report = run("sleep-wake", "--iterations", 5_000)
    assert report["iterations"] == report["result"] == 10_000
    # A thread need not sleep if its partner preempts it before.
    assert 0.4 * 10_000 < report["voluntary_switches"] < 1.3 * 10_000


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", ["dependent-chain", "sleep-wake", "thundering-herd"])
def test_a_signal_ends_the_program_after_its_report(
    kernels: Path, name: str, ending: signal.Signals
) -> None:
    with subprocess.Popen(
        [kernels, name, "--duration", "0"], stdout=subprocess.PIPE, text=True
    ) as process:
        status = Path(f"/proc/{process.pid}/status")
        caught = 0
        while not caught & 1 << (ending - 1):  # until its handler is installed
            line = next(x for x in status.read_text().splitlines() if x.startswith("SigCgt:"))
            caught = int(line.split()[1], 16)
        process.send_signal(ending)
        output, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    report = json.loads(output)
    assert report["schema"] == "stallscope.kernels/1"
    assert report["kernel"] == name

from pathlib import Path

import pytest

from harness.diagnose.readings.sources import read_header, read_reading
from stallscope.errors import UsageError
from stallscope.system_files import Roots

MACHINES = Path("tests/machines")
STAT = "cpu  10 0 20 100 5 1 1 7 0 0\ncpu0 10 0 20 100 5 1 1 7 0 0\n"


def machine(folder: Path, files: dict[str, str]) -> Roots:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return Roots.recorded(folder)


def test_the_header_names_drivers_and_what_is_missing() -> None:
    metal = read_header(Roots.recorded(MACHINES / "intel-metal"), counters_missing="no PMU")
    assert metal.idle_driver == "intel_idle"
    assert metal.counters_missing == "no PMU"
    assert metal.nodes == 1
    guest = read_header(Roots.recorded(MACHINES / "vm-without-pmu"))
    assert guest.frequency_missing
    assert guest.counters_missing is None


def test_all_counters_of_a_machine_are_read(tmp_path: Path) -> None:
    roots = machine(
        tmp_path,
        {
            "proc/stat": STAT,
            "proc/vmstat": "pgmajfault 12\npswpin 3\nnr_free_pages 9\n",
            "proc/pressure/io": "some avg10=0.00 avg60=0.00 avg300=0.00 total=77\n",
            "proc/7/stat": "7 (a) b) c) S 1 7 7 0 -1 4194560 100 0 5 0 1 1 0 0\n",
            "proc/7/task/7/children": "8 ",
            "proc/7/task/7/status": "Name:\tc\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n",
            "proc/7/task/9/status": "Cpus_allowed:\t3\nCpus_allowed_list:\t0-1\nMems_allowed:\t1\n",
            "proc/8/stat": "8 (child) R 7 7 7 0 -1 4194560 40 0 0 0 1 1 0 0\n",
            "proc/7/cgroup": "0::/limited\n",
            "sys/fs/cgroup/limited/cpu.stat": "nr_periods 9\nnr_throttled 4\nthrottled_usec 50\n",
            "sys/block/vda/stat": "10 0 80 5 20 0 160 8 3 11 13 0 0 0 0\n",
            "sys/block/loop0/stat": "0 0 0 0 0 0 0 0 0 0 0\n",
            "sys/devices/system/cpu/online": "0\n",
        },
    )
    reading = read_reading(roots, (7,), with_cpus=True)
    assert reading.cpu is not None
    assert (reading.cpu.all, reading.cpu.stolen) == (144, 7)
    assert reading.memory == {"pgmajfault": 12, "pswpin": 3}
    assert reading.pressures_us == {"io.some": 77}
    assert [(row.pid, row.minor_faults, row.major_faults) for row in reading.processes] == [
        (7, 100, 5),
        (8, 40, 0),
    ]
    assert [row.fewest_cpus for row in reading.processes] == [2, None]
    quick = read_reading(roots, (7,), with_cpus=False)
    assert [row.fewest_cpus for row in quick.processes] == [None, None]
    (group,) = reading.cgroups
    assert (group.path, group.periods, group.throttled_periods) == ("/limited", 9, 4)
    (disk,) = reading.disks  # a disk without a request is left out
    assert (disk.name, disk.reads, disk.writes, disk.in_flight, disk.queue_ms) == (
        "vda", 10, 20, 3, 13,
    )  # fmt: skip
    assert reading.idle == ()


def test_sleep_states_and_frequencies_are_read_if_requested(tmp_path: Path) -> None:
    metal = read_reading(Roots.recorded(MACHINES / "intel-metal"), (), with_cpus=True)
    assert [state.name for state in metal.idle or ()][-1] == "C6"
    folder = "sys/devices/system/cpu"
    files = {
        "online": "0\n",
        "cpufreq/policy0/affected_cpus": "0\n",
        "cpufreq/policy0/scaling_cur_freq": "1200000\n",
        "cpufreq/policy0/base_frequency": "2000000\n",
        "cpu0/thermal_throttle/core_throttle_total_time_ms": "31\n",
    }
    roots = machine(tmp_path, {f"{folder}/{name}": text for name, text in files.items()})
    full = read_reading(roots, (), with_cpus=True)
    assert full.hot_ms == 31
    assert [(row.current_khz, row.base_khz) for row in full.frequencies or ()] == [
        (1_200_000, 2_000_000)
    ]
    quick = read_reading(roots, (), with_cpus=False)
    assert quick.idle is None
    assert quick.frequencies is None


def test_an_empty_machine_has_no_counters(tmp_path: Path) -> None:
    reading = read_reading(machine(tmp_path, {"proc/stat": "cpu x\n"}), (1,), with_cpus=False)
    assert reading.cpu is None
    assert reading.disks == reading.processes == reading.cgroups == ()


def test_a_cgroup_outside_of_the_namespace_is_not_followed(tmp_path: Path) -> None:
    files = {"proc/7/cgroup": "0::/../../etc\n", "sys/etc/cpu.stat": "nr_periods 9\n"}
    assert read_reading(machine(tmp_path, files), (7,), with_cpus=False).cgroups == ()


def test_a_directory_that_does_not_exist_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        read_header(Roots(), tmp_path / "missing")
    assert read_header(Roots(), tmp_path).path == str(tmp_path)

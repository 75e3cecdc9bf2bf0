"""CPUs in the order of use, NUMA nodes, and memory limited by cgroups."""

from pathlib import Path

from harness.workload.machine import NumaNode, read_machine
from stallscope.system_files import Roots

MIB = 2**20


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def roots(folder: Path) -> Roots:
    write(folder / "proc/meminfo", "MemTotal: 9 kB\nMemAvailable:   2097152 kB")
    return Roots.recorded(folder)


def test_the_first_thread_of_every_core_comes_before_siblings(tmp_path: Path) -> None:
    for cpu in range(4):
        path = f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
        write(tmp_path / path, f"{cpu % 2},{cpu % 2 + 2}")
    assert read_machine(roots(tmp_path), frozenset(range(4))).cpus == (0, 1, 2, 3)
    write(tmp_path / "sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0-1")
    write(tmp_path / "sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1")
    assert read_machine(roots(tmp_path), frozenset((0, 1))).cpus == (0, 1)
    assert read_machine(roots(tmp_path), frozenset((0, 1, 2, 3))).cpus == (0, 1, 2, 3)
    write(tmp_path / "sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "2-3")
    write(tmp_path / "sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "2-3")
    assert read_machine(roots(tmp_path), frozenset((0, 1, 2, 3))).cpus == (0, 2, 1, 3)


def test_nodes_have_cpus_and_memory(tmp_path: Path) -> None:
    write(tmp_path / "sys/devices/system/node/node0/cpulist", "0-1,4")
    write(tmp_path / "sys/devices/system/node/node1/cpulist", "")
    write(tmp_path / "sys/devices/system/node/has_memory", "0-1")
    write(tmp_path / "sys/devices/system/node/online", "0-1")
    machine = read_machine(roots(tmp_path), frozenset((0, 1)))
    assert machine.nodes == (NumaNode(0, (0, 1), True), NumaNode(1, (), True))


def test_a_machine_without_numa_has_a_single_node(tmp_path: Path) -> None:
    assert read_machine(roots(tmp_path), frozenset((3,))).nodes == (NumaNode(0, (3,), True),)


def test_available_memory_is_limited_by_the_tightest_cgroup(tmp_path: Path) -> None:
    assert read_machine(roots(tmp_path), frozenset((0,))).available_bytes == 2048 * MIB
    write(tmp_path / "proc/self/cgroup", "0::/a/b")
    group = tmp_path / "sys/fs/cgroup"
    for name, limit, usage in (("a", 512 * MIB, 300 * MIB), ("a/b", "max", 5)):
        write(group / name / "memory.max", str(limit))
        write(group / name / "memory.current", str(usage))
    assert read_machine(roots(tmp_path), frozenset((0,))).available_bytes == 212 * MIB
    write(group / "a/memory.stat", f"anon 1\ninactive_file {100 * MIB}")
    assert read_machine(roots(tmp_path), frozenset((0,))).available_bytes == 312 * MIB


def test_a_machine_without_meminfo_has_no_available_memory(tmp_path: Path) -> None:
    assert read_machine(Roots.recorded(tmp_path), frozenset((0,))).available_bytes == 0

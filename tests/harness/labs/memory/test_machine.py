"""CPUs in the order of use, nodes, and memory that cgroups limit."""

from pathlib import Path

from harness.labs.memory.machine import Node, gather
from stallscope.system_files import Roots

MIB = 2**20


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def roots(folder: Path) -> Roots:
    write(folder / "proc/meminfo", "MemTotal: 9 kB\nMemAvailable:   2097152 kB")
    return Roots.recorded(folder)


def test_one_cpu_of_each_core_comes_before_siblings(tmp_path: Path) -> None:
    for cpu in range(4):
        path = f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
        write(tmp_path / path, f"{cpu % 2},{cpu % 2 + 2}")
    assert gather(roots(tmp_path), frozenset(range(4))).cpus == (0, 1, 2, 3)
    write(tmp_path / "sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0-1")
    write(tmp_path / "sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1")
    assert gather(roots(tmp_path), frozenset((0, 1))).cpus == (0, 1)
    assert gather(roots(tmp_path), frozenset((0, 1, 2, 3))).cpus == (0, 1, 2, 3)
    write(tmp_path / "sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "2-3")
    write(tmp_path / "sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "2-3")
    assert gather(roots(tmp_path), frozenset((0, 1, 2, 3))).cpus == (0, 2, 1, 3)


def test_nodes_with_their_cpus_and_memory(tmp_path: Path) -> None:
    write(tmp_path / "sys/devices/system/node/node0/cpulist", "0-1,4")
    write(tmp_path / "sys/devices/system/node/node1/cpulist", "")
    write(tmp_path / "sys/devices/system/node/has_memory", "0-1")
    write(tmp_path / "sys/devices/system/node/online", "0-1")
    machine = gather(roots(tmp_path), frozenset((0, 1)))
    assert machine.nodes == (Node(0, (0, 1), True), Node(1, (), True))


def test_without_numa_there_is_one_node(tmp_path: Path) -> None:
    assert gather(roots(tmp_path), frozenset((3,))).nodes == (Node(0, (3,), True),)


def test_memory_is_what_the_tightest_cgroup_leaves(tmp_path: Path) -> None:
    assert gather(roots(tmp_path), frozenset((0,))).available_bytes == 2048 * MIB
    write(tmp_path / "proc/self/cgroup", "0::/a/b")
    group = tmp_path / "sys/fs/cgroup"
    for name, most, used in (("a", 512 * MIB, 300 * MIB), ("a/b", "max", 5)):
        write(group / name / "memory.max", str(most))
        write(group / name / "memory.current", str(used))
    assert gather(roots(tmp_path), frozenset((0,))).available_bytes == 212 * MIB
    write(group / "a/memory.stat", f"anon 1\ninactive_file {100 * MIB}")
    assert gather(roots(tmp_path), frozenset((0,))).available_bytes == 312 * MIB


def test_a_machine_that_tells_nothing_has_no_memory_to_give(tmp_path: Path) -> None:
    assert gather(Roots.recorded(tmp_path), frozenset((0,))).available_bytes == 0

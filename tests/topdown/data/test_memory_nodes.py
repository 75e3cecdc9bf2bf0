"""Accesses by node."""

from pathlib import Path

from stallscope._native import read_capture
from tests.captures.memory_capture import HIT_L1, HIT_MEMORY, LOAD, Access, Node, write_capture
from topdown.data.accesses import sampled_accesses
from topdown.data.hot_loads import leaf_frames
from topdown.data.memory_nodes import NodeMatrix, node_matrix

NODES = [Node(0, "0-1", [0]), Node(1, "2", [1])]


def matrix(tmp_path: Path, accesses: list[Access], nodes: list[Node]) -> NodeMatrix | None:
    path = tmp_path / "perf.data"
    write_capture(path, accesses, nodes=nodes)
    capture = read_capture(path)
    return node_matrix(sampled_accesses(capture, leaf_frames(capture)), capture.nodes)


def test_accesses_are_counted_by_both_nodes(tmp_path: Path) -> None:
    far = Access(0x1000, LOAD | HIT_MEMORY, cpu=1, physical=0x10_0008)
    near = Access(0x2000, LOAD | HIT_MEMORY, cpu=2, physical=0x10_0010)
    result = matrix(tmp_path, [far, far, near], NODES)
    assert result is not None
    counts = {(pair.cpu_node, pair.memory_node): pair.accesses for pair in result.pairs}
    assert counts == {(0, 1): 2, (1, 1): 1}
    assert all(pair.mean_latency is None for pair in result.pairs)


def test_hits_in_caches_are_left_out_and_unknown_nodes_are_counted(tmp_path: Path) -> None:
    hit = Access(0x1000, LOAD | HIT_L1, cpu=0, physical=0x8)
    nowhere = Access(0x1000, LOAD | HIT_MEMORY, cpu=0, physical=0x900_0000)
    result = matrix(tmp_path, [hit, nowhere], NODES)
    assert result == NodeMatrix((), 1)


def test_without_nodes_there_is_no_matrix(tmp_path: Path) -> None:
    assert matrix(tmp_path, [Access(0x1000, LOAD | HIT_MEMORY)], []) is None


def test_a_list_of_cpus_that_is_none_matches_no_access(tmp_path: Path) -> None:
    access = Access(0x1000, LOAD | HIT_MEMORY, cpu=0, physical=0x8)
    assert matrix(tmp_path, [access], [Node(0, "many", [0])]) == NodeMatrix((), 1)

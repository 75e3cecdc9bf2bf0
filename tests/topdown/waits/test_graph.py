from topdown.waits.graph import knots, knots_after_splitting, merge_groups, without_nodes

C1, C2, S, DISK = range(4)
CLIENTS = {(C1, S): 90, (C2, S): 90, (S, C1): 1, (S, C2): 1}


def test_a_server_that_its_clients_wait_for_is_a_knot_without_light_edges() -> None:
    assert knots(CLIENTS, 5) == [frozenset({S})]
    assert knots(CLIENTS, 0) == [frozenset({C1, C2, S})]


def test_a_graph_of_a_single_component_is_split_at_its_lightest_edges() -> None:
    assert knots_after_splitting(CLIENTS) == ([frozenset({S})], 90)


def test_a_device_at_the_end_is_a_knot() -> None:
    assert knots({(C1, S): 90, (S, DISK): 50}) == [frozenset({DISK})]


def test_two_knots_of_a_graph_are_both_listed() -> None:
    edges = {(0, 1): 5, (1, 2): 5, (2, 1): 5, (0, 3): 5, (3, 4): 5, (4, 3): 5}
    assert knots(edges) == [frozenset({1, 2}), frozenset({3, 4})]


def test_long_chains_need_no_recursion() -> None:
    chain = {(node, node + 1): 1.0 for node in range(20_000)}
    assert knots(chain) == [frozenset({20_000})]
    assert knots({**chain, (20_000, 0): 1.0}) == [frozenset(range(20_001))]


def test_edges_of_a_group_are_the_mean_of_its_threads() -> None:
    merged = merge_groups({(0, 2): 90, (1, 2): 30, (0, 1): 7}, [0, 0, 1], [2, 1])
    assert merged == {(0, 1): 60}


def test_left_out_nodes_leave_no_edges() -> None:
    assert without_nodes({(C1, S): 90, (S, DISK): 50, (DISK, C1): 1}, {DISK}) == {(C1, S): 90}

from topdown.waits.wait_chains import Activity, Cascade, Leaf

RESULT = Cascade(
    leaves=[
        Leaf(chain=2, node=7, activity=Activity.WAIT, wait_ns=30),
        Leaf(chain=2, node=7, activity=Activity.WAIT, wait_ns=12),
        Leaf(chain=1, node=4, activity=Activity.RUN, wait_ns=5),
    ],
    chain_parent=[-1, 0, 1],
    chain_group=[10, 11, 12],
    chain_ns=[50, 47, 42],
)


def test_a_chain_has_the_group_and_time_of_each_step() -> None:
    assert RESULT.path(2) == [0, 1, 2]
    assert RESULT.steps(2) == [(10, 50), (11, 47), (12, 42)]


def test_blame_is_the_sum_of_the_ends_by_node_and_activity() -> None:
    assert RESULT.blame() == {(7, Activity.WAIT): 42, (4, Activity.RUN): 5}

from topdown.waits.records import NO_STACK
from topdown.waits.stack_names import StackNames


def test_names_of_a_stack_are_those_of_the_kernel_then_of_the_program() -> None:
    names = StackNames.build([(("futex_wait",), ("lock", "main")), ((), ("main",)), ((), ())])
    assert names.of(0) == ("futex_wait", "lock", "main")
    assert names.kernel_part(0) == ("futex_wait",)
    assert names.user(0) == ("lock", "main")
    assert names.of(NO_STACK) == ()
    assert names.kernel_leaf.tolist() == [True, False, False]


def test_stacks_are_searched_by_name_in_one_part() -> None:
    names = StackNames.build([(("read",), ("main",)), ((), ("read", "main"))])
    assert names.containing(["read"], kernel=True).tolist() == [True, False]
    assert names.containing(["read"], kernel=False).tolist() == [False, True]


def test_the_address_of_the_sample_alone_is_no_kernel_chain() -> None:
    names = StackNames.build(
        [(("schedule", "do_fault"), ("main",)), (("schedule",), ("main",)), ((), ("main",))]
    )
    assert names.with_kernel_chain.tolist() == [True, False, False]

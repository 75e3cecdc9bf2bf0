"""Ranges of interpreted code."""

from topdown.stacks.managed.code_ranges import NO_CODE, code_ranges, fullest_names


def test_functions_with_equal_code_share_a_range() -> None:
    ranges, numbers = code_ranges([(7, (300, 400)), (7, (100, 200)), (7, (300, 400))])
    assert ranges == [(7, 100, 200), (7, 300, 400)]
    assert numbers == [1, 0, 1]


def test_code_at_memory_that_was_used_again_is_left_out() -> None:
    ranges, numbers = code_ranges(
        [(7, (100, 200)), (7, (150, 160)), (7, (180, 300)), (7, (400, 500))]
    )
    assert ranges == [(7, 400, 500)]
    assert numbers == [NO_CODE, NO_CODE, NO_CODE, 0]


def test_processes_have_separate_memory() -> None:
    ranges, _ = code_ranges([(8, (100, 200)), (7, (150, 250))])
    assert ranges == [(7, 150, 250), (8, 100, 200)]


def test_a_method_without_its_class_is_the_one_with_it() -> None:
    functions = [
        (1, "block in fib", "/a.rb"),
        (1, "block in Foo::Bar#fib", "/a.rb"),
        (1, "other", "/a.rb"),
        (NO_CODE, "fib", "/a.rb"),
        (NO_CODE, "Foo#fib", "/a.rb"),
    ]
    assert fullest_names(functions) == [1, 1, 2, 3, 4]

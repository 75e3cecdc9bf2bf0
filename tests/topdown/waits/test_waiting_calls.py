from topdown.waits.waiting_calls import CallGroup, waiting_calls


def test_both_architectures_have_the_same_groups_by_name() -> None:
    x86 = dict(waiting_calls("x86_64").values())
    arm64 = dict(waiting_calls("aarch64").values())
    common = x86.keys() & arm64.keys()
    assert len(common) > 60
    assert all(x86[name] == arm64[name] for name in common)


def test_numbers_of_futex_are_those_of_the_architecture() -> None:
    assert waiting_calls("x86_64")[202] == ("futex", CallGroup.FUTEX)
    assert waiting_calls("aarch64")[98] == ("futex", CallGroup.FUTEX)

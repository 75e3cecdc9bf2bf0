"""The CPUs of a pin."""

from collections.abc import Callable

import pytest

from cstates.pinning.request import PinRequest
from cstates.pinning.targets import find_targets
from stallscope.errors import UsageError
from tests.cstates.pinning.conftest import FakeMachine


def test_siblings_of_the_commands_cpus_are_capped(fake: Callable[[str], FakeMachine]) -> None:
    targets = find_targets(fake("ice-lake-server").roots, PinRequest(cpus="1"))
    assert (targets.command, targets.capped, targets.all_capped) == ((1,), (1, 3), False)


def test_with_idle_siblings_a_core_has_one_cpu_of_the_command(
    fake: Callable[[str], FakeMachine],
) -> None:
    request = PinRequest(cpus="0-3", smt_siblings_idle=True)
    targets = find_targets(fake("ice-lake-server").roots, request)
    assert (targets.command, targets.capped, targets.all_capped) == ((0, 1), (0, 1, 2, 3), True)


def test_offline_cpus_are_left_out(fake: Callable[[str], FakeMachine]) -> None:
    roots = fake("offline-cpus").roots
    targets = find_targets(roots, PinRequest(cpus="0,1"))
    assert (targets.command, targets.offline) == ((0,), (1,))
    assert find_targets(roots, PinRequest()).offline == ()
    with pytest.raises(UsageError, match="none of these CPUs is online"):
        find_targets(roots, PinRequest(cpus="1"))

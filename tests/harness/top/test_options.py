"""Options of `stallscope top`: the process must exist."""

import os

import pytest

from harness.top.options import check_target
from stallscope.errors import TargetError, UsageError
from stallscope.system_files import Roots


def test_this_process_and_the_machine_are_targets() -> None:
    check_target(os.getpid(), Roots())
    check_target(None, Roots())


def test_a_process_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(TargetError, match="does not exist"):
        check_target(2**22 + 1, Roots())
    with pytest.raises(UsageError):
        check_target(0, Roots())

"""Waiting programs of stallscope-kernels wait longer in their own state than their look-alikes."""

import pytest

from tests.live.waiting_kernels import RAISED, report, share

pytestmark = pytest.mark.live


@pytest.mark.parametrize("name", RAISED)
def test_a_program_waits_more_than_its_look_alike(name: str) -> None:
    assert share(report(name), *RAISED[name]) > 1.2 * share(
        report(name, "--look-alike"), *RAISED[name]
    )

"""Test sizes: short in ./dev test, long in ./dev fuzz, which sets STALLSCOPE_LONG_TESTS=1."""

import os

VARIABLE = "STALLSCOPE_LONG_TESTS"


def long_tests(*, short: int, long: int) -> int:
    """The size of a test in this run: a number of repeats, cases or bytes.

    A test that calls this carries the mark `long`, by which ./dev fuzz selects it.
    """
    return long if os.environ.get(VARIABLE) == "1" else short

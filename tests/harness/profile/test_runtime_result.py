"""Managed runtimes in the result of a profile."""

from types import SimpleNamespace
from typing import Any, cast

from harness.profile.analysis import Analysis
from harness.profile.runtime_result import RuntimeResult, runtime_results


def analysis(*, runtimes: tuple[Any, ...] = (), python: Any = None) -> Analysis:
    return cast("Analysis", SimpleNamespace(runtimes=runtimes, python=python))


def test_python_is_a_runtime_whose_native_chains_have_all_names() -> None:
    python = SimpleNamespace(
        samples=10, versions=("3.11", "3.12"), framed=6, native=2, moved_on=0, unread=2
    )
    (result,) = runtime_results(analysis(python=python))
    assert (result.name, result.version, result.named) == ("cpython", "3.11, 3.12", 8)
    assert result.failed == {"unread": 2}


def test_python_without_samples_is_left_out() -> None:
    assert runtime_results(analysis(python=SimpleNamespace(samples=0))) == ()


def test_other_runtimes_keep_their_reasons_and_tiers() -> None:
    shares = RuntimeResult(
        name="v8",
        version="12",
        samples=3,
        named=2,
        failed={"late": 1},
        tiers={"sparkplug": 2},
        works={},
    )
    assert runtime_results(analysis(runtimes=(shares,))) == (shares,)

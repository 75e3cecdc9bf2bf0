from pathlib import Path
from typing import Any

import pytest

from harness.continuous.options import (
    DEFAULT_TOTAL_BYTES,
    ContinuousOptions,
    continuous_options,
)
from stallscope.collector import CollectorOptions
from stallscope.errors import UsageError

VALUES: dict[str, Any] = {
    "continuous": True, "budget": None, "segment": None, "otlp": None, "flight": None,
    "waits": False, "slots": False, "counted": "", "force": False,
}  # fmt: skip


def options(values: dict[str, Any] | None = None, **collector: Any) -> ContinuousOptions | None:
    target = collector if "command" in collector else {"pids": (1,), **collector}
    return continuous_options(
        CollectorOptions(output=Path("run"), **target), VALUES | (values or {})
    )


def test_the_defaults_are_one_percent_and_250_mb() -> None:
    result = options()
    assert result is not None
    assert (result.budget_share, result.segment_s, result.endpoint) == (0.01, 60, None)
    assert result.max_total_bytes == DEFAULT_TOTAL_BYTES == 250_000_000
    assert result.collector.frequency_hz == 99


def test_values_are_read_with_their_units() -> None:
    result = options(
        {"budget": "0.5 %", "segment": "5m", "otlp": "http://h"}, frequency_hz=49, max_size_mib=64
    )
    assert result is not None
    assert (result.budget_share, result.segment_s) == (0.005, 300)
    assert result.max_total_bytes == 64 << 20
    assert result.collector.frequency_hz == 49
    assert result.endpoint is not None


def test_without_continuous_its_options_are_refused() -> None:
    assert options({"continuous": False}) is None
    for name in ("budget", "segment", "otlp"):
        with pytest.raises(UsageError, match=f"--{name} belongs to --continuous"):
            options({"continuous": False, name: "1"})


@pytest.mark.parametrize("name", ["flight", "waits", "slots", "counted", "force"])
def test_options_that_contradict_it_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="exclude each other"):
        options({name: "1"})


def test_a_command_a_period_and_a_tiny_limit_are_refused() -> None:
    with pytest.raises(UsageError, match="would restart the command"):
        options(command=("make",))
    with pytest.raises(UsageError, match="-c has no effect"):
        options(period=1000)
    with pytest.raises(UsageError, match="too small"):
        options(max_size_mib=47)


@pytest.mark.parametrize("text", ["1", "0%", "101%", "-1%", "x%", "", "1 %%", "nan%"])
def test_a_budget_is_a_share_of_one_cpu(text: str) -> None:
    with pytest.raises(UsageError, match="--budget"):
        options({"budget": text})

"""Conditions of --on: what is valid, and the advice for what is not."""

from pathlib import Path

import pytest

from harness.flight.conditions import (
    FORMS,
    CommandCondition,
    EndCondition,
    LatencyCondition,
    PressureCondition,
    SignalCondition,
    nearest,
    parse_condition,
)
from stallscope.errors import UsageError
from stallscope.pressure import PressureThreshold


@pytest.mark.parametrize(
    ("text", "threshold"),
    [
        ("psi.io>20%", PressureThreshold("io", "some", 0.2, 2.0)),
        ("psi.memory.full > 5 %/4s", PressureThreshold("memory", "full", 0.05, 4.0)),
        ("psi:io some > 20% over 10s", PressureThreshold("io", "some", 0.2, 10.0)),
        ("psi.cpu>0.5%", PressureThreshold("cpu", "some", 0.005, 2.0)),
    ],
)
def test_a_pressure_has_a_resource_a_share_and_a_window(
    text: str, threshold: PressureThreshold
) -> None:
    condition = parse_condition(text)
    assert isinstance(condition, PressureCondition)
    assert condition.threshold.resource == threshold.resource
    assert condition.threshold.scope == threshold.scope
    assert condition.threshold.share == pytest.approx(threshold.share)
    assert condition.threshold.window_s == threshold.window_s


def test_a_percentile_has_a_limit_and_a_log() -> None:
    condition = parse_condition("p99.9>5ms:run/service.hlog")
    assert isinstance(condition, LatencyCondition)
    assert condition.percentile == 99.9
    assert condition.limit_ns == 5e6
    assert condition.log == Path("run/service.hlog")


def test_a_command_has_words_and_perhaps_a_limit() -> None:
    assert parse_condition("command:test -e '/tmp/a b'") == CommandCondition(
        "command:test -e '/tmp/a b'", ("test", "-e", "/tmp/a b"), None
    )
    condition = parse_condition("command>2.5:queue-length web")
    assert isinstance(condition, CommandCondition)
    assert condition.limit == 2.5


def test_signals_and_ends_are_single_words() -> None:
    assert parse_condition(" signal ") == SignalCondition()
    exit_condition = parse_condition("exit")
    assert isinstance(exit_condition, EndCondition)
    assert exit_condition.ends == ("target ended",)


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_of_the_advice_are_valid(form: str) -> None:
    assert parse_condition(form).text == form


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("psi.disk>30%", "psi.io>30%"),
        ("psi.io>30", "psi.io>30%"),
        ("io > 30 %", "psi.io>30%"),
        ("psi.memroy.full>4%", "psi.memory>4%"),
        ("p99>5", "p99>5ms:FILE.hlog"),
        ("p99.9 > 5", "p99.9>5ms:FILE.hlog"),
        ("SIGUSR1", "signal"),
        ("cmd:check", "command:CMD"),
        ("cmd>4:check", "command>4:CMD"),
        ("exit.", "exit"),
        ("", "psi.io>20%"),
    ],
)
def test_an_invalid_condition_is_answered_with_the_nearest_form(text: str, advice: str) -> None:
    assert nearest(text) == advice
    with pytest.raises(UsageError) as caught:
        parse_condition(text)
    assert f"'{text.strip()}' is not a condition" in str(caught.value)
    assert advice in caught.value.remedy
    parse_condition(advice)


@pytest.mark.parametrize(
    "text",
    ["psi.io>0%", "psi.io>100%", "psi.io>5%/0s", "psi.cpu.full>5%", "p0>5ms:a", "command:'a"],
)
def test_conditions_that_can_never_be_true_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_condition(text)

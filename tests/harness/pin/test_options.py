"""Options of `stallscope pin`: the request they form."""

from typing import Any

import click
import pytest

from harness.pin.options import pin_request, request_options
from stallscope.errors import UsageError
from tests.harness.cli.parsed_options import parsed


def values(*words: str) -> dict[str, Any]:
    return parsed(request_options, *words)


def test_every_option_reaches_the_request() -> None:
    request = pin_request(
        values(
            "--states", "C1, C1E", "--governor", "performance", "--no-turbo", "--aslr", "off",
            "--smt-siblings", "idle", "--nice", "-5", "--cpus", "0-3", "--max-exit-latency", "10",
        )
    )  # fmt: skip
    assert request.states == ("C1", "C1E")
    assert (request.governor, request.no_turbo, request.aslr_off) == ("performance", True, True)
    assert (request.smt_siblings_idle, request.nice) == (True, -5)
    assert (request.cpus, request.max_exit_latency_us) == ("0-3", 10)
    assert not request.optional


def test_settings_of_the_profile_are_optional_and_named_ones_are_not() -> None:
    assert pin_request(values("--profile", "bench")).optional
    named = pin_request(values("--profile", "bench", "--no-turbo"))
    assert named.no_turbo
    assert named.optional < pin_request(values("--profile", "bench")).optional


def test_another_mechanism_is_no_setting_by_itself() -> None:
    with pytest.raises(UsageError, match="no setting to pin"):
        pin_request(values("--force-effective"))
    assert pin_request(values("--force-effective", "--no-turbo")).force_effective


@pytest.mark.parametrize("words", [(), ("--states", " ,")])
def test_a_request_without_a_setting_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match=r"no setting to pin|names no state"):
        pin_request(values(*words))


def test_niceness_has_the_kernels_bounds() -> None:
    with pytest.raises(click.BadParameter):
        values("--nice", "20")

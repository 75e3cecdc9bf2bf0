"""Parsing of simulated disks."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ioprobe.target.simulated import SimulatedDisk, parse_simulated
from stallscope.errors import UsageError


@pytest.mark.parametrize(
    ("text", "disk"),
    [
        ("sim:servers=8,service=1ms", SimulatedDisk(8, 1_000_000)),
        ("sim:service=250us,servers=32,exponential", SimulatedDisk(32, 250_000, exponential=True)),
        ("sim:servers=1,service=1.5ms,fixed", SimulatedDisk(1, 1_500_000)),
        ("sim:servers=4096,service=60s", SimulatedDisk(4096, 60 * 10**9)),
    ],
)
def test_a_description_is_parsed(text: str, disk: SimulatedDisk) -> None:
    assert parse_simulated(text) == disk
    assert disk.service == ("exponential" if disk.exponential else "fixed")


@pytest.mark.parametrize(
    "text",
    [
        "sim:",
        "sim:servers=8",
        "sim:service=1ms",
        "sim:servers=0,service=1ms",
        "sim:servers=4097,service=1ms",
        "sim:servers=8,servers=9,service=1ms",
        "sim:servers=8,service=1ms,depth=4",
        "sim:servers=8,service=1",
        "sim:servers=8,service=0ms",
        "sim:servers=8,service=61s",
        "sim:servers=8,service=-1ms",
        "sim:servers=\u0668,service=1ms",
        "sim:servers=8,service=1ms,exponential,fixed",
    ],
)
def test_an_invalid_description_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_simulated(text)
    assert caught.value.message.startswith(text)
    assert "sim:servers=8,service=1ms" in caught.value.remedy


@given(st.text(alphabet="servicexponalfd=,.0189mun", max_size=40))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    with suppress(UsageError):
        assert parse_simulated("sim:" + text).servers >= 1

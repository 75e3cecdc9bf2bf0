"""A run of `stallscope load --rates`: rounds over all rates, wake-ups, output."""

from collections.abc import Iterator
from dataclasses import replace

import click

from harness.cli.outputs import write_whole
from harness.cli.result_output import print_result
from harness.cli.terminal import LiveLine, printable
from harness.load.rates.explanation import falls
from harness.load.rates.measurement import RateReading, RatesMeasurement
from harness.load.rates.options import RatesOptions
from harness.load.rates.result import RatesResult, rates_result
from harness.load.rates.text import lines
from harness.load.rates.wake_ups import wake_round_trip_us
from harness.recordings.directory import make_new_directory
from harness.workload.loader import fill_keys, running_load
from stallscope.documents import encode
from stallscope.errors import StallscopeError

_MIN_WAKES = 50
_MAX_WAKE_S = 2.0
_US_PER_S = 1e6


def run_rates(options: RatesOptions, *, as_json: bool) -> RatesResult:
    """Return the result after all rates were measured, written and printed."""
    rates = measure_rates(options)
    result = rates_result(rates)
    write_whole(options.load.output / "rates.json", [encode(result, indent=1) + "\n"])
    print_result(result, lines, as_json=as_json)
    if not as_json:
        click.echo(f"\nresults  {printable(str(options.load.output))}")
    return result


def measure_rates(options: RatesOptions) -> RatesMeasurement:
    """Return the measurement; Ctrl-C ends it and keeps complete rounds.

    Raises the errors of the loader, KeyboardInterrupt if no round is complete.
    """
    make_new_directory(options.load.output)
    if options.load.fill:
        fill_keys(replace(options.load, output=options.load.output / "fill"))
    live = LiveLine()
    readings: list[RateReading] = []
    interrupted = False
    try:
        for number, rate in rate_order(options):
            live.show(
                f"round {number + 1} of {options.rounds}: {rate:,.0f} requests/s",
                done=len(readings), whole=options.rounds * len(options.rates_per_s),
            )  # fmt: skip
            readings.append(_run(options, number, rate))
    except KeyboardInterrupt:
        interrupted = True
        if len(readings) < len(options.rates_per_s):
            raise
    finally:
        live.clear()
    rates = RatesMeasurement(options, tuple(readings), interrupted=interrupted)
    return rates if interrupted or not falls(rates) else _with_wake_ups(rates)


def rate_order(options: RatesOptions) -> Iterator[tuple[int, float]]:
    """Yield round and rate; every second round begins with the highest rate.

    A target that becomes faster with time thus does not appear faster at high rates.
    """
    for number in range(options.rounds):
        rates = options.rates_per_s
        for rate in rates if number % 2 == 0 else rates[::-1]:
            yield number, rate


def _run(options: RatesOptions, number: int, rate: float) -> RateReading:
    output = options.load.output / f"{number}-{rate:g}"
    load = replace(options.load, output=output, rate_per_s=rate, fill=False)
    with running_load(load) as running:
        return RateReading(number, rate, running.finish())


def _with_wake_ups(rates: RatesMeasurement) -> RatesMeasurement:
    """Return the measurement with the round trips of wake-ups after the mean gap of each rate."""
    load = rates.options.load
    kind = "unix" if load.target.startswith("unix:") else "tcp"
    wake_us = {}
    try:
        for rate in rates.options.rates_per_s:
            pause_us = _US_PER_S / rate
            duration_s = min(_MAX_WAKE_S, max(0.1, _MIN_WAKES / rate))
            wake_us[rate] = wake_round_trip_us(pause_us, duration_s, kind=kind, cpus=load.cpus)
    except StallscopeError as error:
        return replace(rates, wake_unavailable=f"wake-ups cannot be measured: {error.message}")
    return replace(rates, wake_us=wake_us)

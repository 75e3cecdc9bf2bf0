"""The runs of a storm: every queue setting once per round, in alternating order."""

from dataclasses import replace

from harness.labs.storm.options import REFERENCE_LIMIT, StormOptions
from ioprobe.storm import StormRun, StormSetting
from stallscope.quantities import size_text

READER_ALONE = StormSetting(None, None, writes=False)


def reference_limit(options: StormOptions) -> int | None:
    """Return the limit that the recommended one is compared with; None: no limit.

    With the server it is no limit: compaction never has more than 128 requests outstanding.
    """
    return None if options.server else REFERENCE_LIMIT


def limit_text(limit: int | None) -> str:
    """Return a limit in words."""
    return "no limit" if limit is None else str(limit)


def settings(options: StormOptions, recommended: int) -> tuple[StormSetting, ...]:
    """Return the settings of a round in order.

    The two settings that are compared, with shares, are neighbours.
    """
    # The server always has a class for queries and one for compaction.
    has_fifo = options.first_come and not options.server
    compared = dict.fromkeys((reference_limit(options), recommended))
    candidates = [*([None] if options.no_limit else []), *options.limits]
    limits = [*(limit for limit in candidates if limit not in compared), *compared]
    shared = [StormSetting(limit, options.shares) for limit in limits]
    first_come = [replace(setting, shares=None) for setting in shared] if has_fifo else []
    return (READER_ALONE, *first_come, *shared)


def runs(options: StormOptions, recommended: int) -> tuple[StormRun, ...]:
    """Return the runs of all rounds; every second round is reversed, so that drift cancels."""
    order = settings(options, recommended)
    return tuple(
        StormRun(f"{number}.{position}", number, setting, options.warmup_s, options.duration_s)
        for number in range(options.rounds)
        for position, setting in enumerate(order if number % 2 == 0 else order[::-1])
    )


def writing_s(options: StormOptions) -> float:
    """Return the approximate time of all writes, in the rounds and in the trial."""
    storms = len(settings(options, options.recommended or 1)) - 1
    trial_s = 0.0
    if options.recommended is None and not options.server:
        trial = options.trial
        trial_s = trial.rounds * (len(trial.limits) + 1) * (trial.duration_s + trial.warmup_s)
    return options.rounds * storms * options.writing_s + trial_s


def requests_text(options: StormOptions) -> str:
    """Return reader, writer and rounds in words."""
    streams, rounds = options.streams, f"{options.rounds} rounds of {options.duration_s:g} s"
    if options.server:
        requests = f"GETs and {options.write_share:.0%} SETs" if options.write_share else "GETs"
        return f"{requests} of the reference server beside its compaction, {rounds}"
    return (
        f"{streams.reader_depth} read of {size_text(streams.reader_bytes)} beside "
        f"{streams.writer_depth} writes of {size_text(streams.writer_bytes)} at a time, {rounds}"
    )


def setting_text(setting: StormSetting) -> str:
    """Return a setting in words."""
    if not setting.writes:
        return "reader alone"
    limit = "no limit" if setting.limit is None else f"limit {setting.limit}"
    return f"{limit}, {'first come' if setting.shares is None else 'shares'}"


def cost_facts(options: StormOptions) -> dict[str, str]:
    """Return the cost of requests in the queue, as a label and a text; empty without rates."""
    rates = options.rates
    if rates is None:
        return {}
    return {
        "cost of a request": f"by size and direction from {options.io_properties}: reads "
        f"{rates.read_iops:,.0f}/s and {size_text(int(rates.read_bandwidth))}/s, writes "
        f"{rates.write_iops:,.0f}/s and {size_text(int(rates.write_bandwidth))}/s; a limit is the "
        "cost of as many of the largest requests"
    }

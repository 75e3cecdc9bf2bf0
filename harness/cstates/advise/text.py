"""Advice for a terminal."""

from collections.abc import Iterator

from harness.cli.terminal import printable, wrapped
from harness.cstates.advise.result import AdviseResult, SuggestedChange
from stallscope.cpu_lists import format_cpu_list


def advise_lines(result: AdviseResult, width: int) -> Iterator[str]:
    """Yield the suggestions, or the reason for having none."""
    if result.nothing:
        yield from wrapped(result.nothing[0].upper() + result.nothing[1:] + ".", width)
    elif not any(suggestion.shown for suggestion in result.suggestions):
        yield from wrapped("No gain is proven. To try:", width)
    for number, suggestion in enumerate(result.suggestions, 1):
        names = ", ".join(suggestion.open_states)
        noun = "CPUs" if len(suggestion.cpus) > 1 else "CPU"
        change = f"On {noun} {format_cpu_list(suggestion.cpus)} keep only {names} open"
        text = f"{number}. {change}: {gain_text(suggestion)}."
        yield from wrapped(printable(text), width, "   ")
        for cost in suggestion.costs:
            yield from wrapped(printable(f"   Costs: {cost}."), width, "     ")
        for command in suggestion.commands:
            yield f"     {printable(command)}"
    for note in result.notes:
        yield from wrapped(printable(f"Note: {note}."), width, "  ")


def gain_text(suggestion: SuggestedChange) -> str:
    """Return the gain of a suggestion with its interval, or why it is not proven."""
    if suggestion.measured:
        return f"measured wake-ups gained: {'; '.join(suggestion.measured)}"
    if not suggestion.untimed:
        interval = f"95 % interval {suggestion.min_us:.1f} to {suggestion.max_us:.1f}"
        return (
            f"{suggestion.gain_us:.1f} us less per wake-up ({interval}), "
            f"{suggestion.us_per_s:,.0f} us per second; exit times {suggestion.sources}"
        )
    reason = (
        f"leaving {', '.join(suggestion.untimed)} was not timed, and the declared latency may be "
        "far from real; to measure the gain: stallscope cstates latency"
    )
    if suggestion.max_us is None:
        return f"{suggestion.gain_us:.1f} us less per wake-up by declared latencies alone; {reason}"
    return f"gain not proven, at most {suggestion.max_us:.1f} us per wake-up; {reason}"

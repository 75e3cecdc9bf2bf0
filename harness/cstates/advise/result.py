"""The result of `stallscope cstates advise`: what to change so that wake-ups cost less."""

from cstates.advice.suggestions import Advice, Suggestion
from stallscope.documents import Amount, Count, Document, Number, Record


class SuggestedChange(Record, frozen=True, kw_only=True):
    """A change of the open states, its gain and its costs."""

    open_states: tuple[str, ...]
    closed_states: tuple[str, ...]
    cpus: tuple[Count, ...]
    gain_us: Number  # per wake-up from a closed state
    min_us: Number | None  # bounds of the 95 % interval
    max_us: Number | None
    us_per_s: Amount
    sources: str
    untimed: tuple[str, ...]  # states with declared exit times only
    measured: tuple[str, ...]  # results of measured wake-ups
    costs: tuple[str, ...]
    commands: tuple[str, ...]
    shown: bool  # the gain is proven by timed exits or measured wake-ups


class AdviseResult(Document, frozen=True, kw_only=True, tag="stallscope.cstates.advise/1"):
    """Suggestions, proven ones first, then by gain; ``nothing`` is the reason for having none."""

    nothing: str | None
    suggestions: tuple[SuggestedChange, ...]
    notes: tuple[str, ...]


def advise_result(advice: Advice) -> AdviseResult:
    """Return the result of advice."""
    return AdviseResult(
        nothing=advice.nothing,
        suggestions=tuple(map(_change, advice.suggestions)),
        notes=advice.notes,
    )


def _change(suggestion: Suggestion) -> SuggestedChange:
    return SuggestedChange(
        open_states=suggestion.open_states,
        closed_states=suggestion.closed_states,
        cpus=suggestion.cpus,
        gain_us=suggestion.gain_us,
        min_us=suggestion.min_us,
        max_us=suggestion.max_us,
        us_per_s=suggestion.us_per_s,
        sources=suggestion.sources,
        untimed=suggestion.untimed,
        measured=suggestion.measured,
        costs=suggestion.costs,
        commands=suggestion.commands,
        shown=suggestion.proven,
    )

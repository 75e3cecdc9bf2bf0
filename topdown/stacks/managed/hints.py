"""The line that helps if code of a runtime has no names, because the runtime is not read."""

from collections.abc import Iterable
from itertools import takewhile

from topdown.stacks.managed.remedies import remedy_for, runtime_of_file
from topdown.stacks.profile import FunctionKind, Profile
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.ranking import Ranking
from topdown.stacks.symbols.function_table import kinds_of

_GENERATED = ("[anonymous]", "[jit]", "//anon", "[unknown]")
MIN_SHARE = 0.01
_READ_FROM_OUTSIDE = ("v8", "hotspot", "cpython", "ruby", "php")
_RECORD_AGAIN = "record again without --python off, which leaves out the frames of runtimes"


def runtime_hints(
    profile: Profile,
    ranking: Ranking,
    mapped: Iterable[bytes],
    read: Iterable[str],
    *,
    reading_off: bool = False,
) -> tuple[ProfileWarning, ...]:
    """Return a warning for each runtime whose generated code has no names.

    ``mapped``: paths of the files of the samples' frames; ``read``: runtimes that are read, or
    whose refusal has a warning; ``reading_off``: the recording was made with ``--python off``, so
    that a runtime which can be read needs no other start. There are no warnings if less than 1 % of
    the profile is such code.
    """
    names = {runtime_of_file(path) for path in mapped} - {"", *read}
    if not names or not ranking.value:
        return ()
    kinds = kinds_of(profile.functions)  # to name each of 250,000 functions takes 20 s
    unnamed = sum(
        row.self_value
        for row in takewhile(lambda row: row.self_value, ranking.functions)  # the largest first
        if kinds[row.index] == FunctionKind.UNKNOWN
        and profile.functions[row.index].module in _GENERATED
    )
    if unnamed < MIN_SHARE * ranking.value:
        return ()
    return tuple(
        ProfileWarning(
            "runtime-unnamed",
            f"{unnamed / ranking.value:.0%} of the profile is generated code without names, and "
            f"{name} generates code: "
            f"{_RECORD_AGAIN if reading_off and name in _READ_FROM_OUTSIDE else remedy_for(name)}",
        )
        for name in sorted(names)
    )

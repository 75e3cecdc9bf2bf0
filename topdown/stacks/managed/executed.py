"""Ruby's functions at the moment of a sample, by the registers of the interpreter's loop.

The runs of a stack are read some hundred microseconds after the sample, when inner functions may
have returned. The native chain has the moment itself: for each call of the loop, the instructions
that it executes, which belong to one function. A run that contains the function is cut behind it. A
run without it takes the frames that led to the function in other samples with the same functions in
the loops; if those differ, the frames between have no name. A rare one does not count: now and then
a stack changes while it is read.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from topdown.stacks.managed.alignment import Run, common_frames, runs_of_stacks, with_stacks
from topdown.stacks.managed.code_ranges import NO_CODE
from topdown.stacks.python.frames import PythonStacks

_MAX_WITHOUT_LOOP = 1  # runs at the beginning of a stack that no call of the loop executes
_MAX_VARIANTS = 16  # kept of the frames that lead to a function
_LEAST_RATIO = 50  # of the samples with one variant to those with others, if it is the only one
_Functions = tuple[int, ...]
_Variants = Counter[_Functions]  # samples


@dataclass(frozen=True, slots=True)
class LoopMoment:
    """What the loops of a native chain run, and the stack that was read for the same sample.

    ``stack``: number of the stack, -1 if none was read. ``codes``: what each call of the loop
    executes, outermost first. ``calls``: whether the innermost call runs native code.
    ``nameless``: the function that stands for frames without a name.
    """

    stack: int
    codes: tuple[int, ...]
    calls: bool
    nameless: int


@dataclass(slots=True)
class ExecutedRuns:
    """Makes the runs of frames of samples, from the moment of the sample.

    ``code_of``: the code of each function, NO_CODE without one. ``function_of``: the same function,
    with the most complete name.
    """

    stacks: PythonStacks
    code_of: npt.NDArray[np.int64]
    function_of: npt.NDArray[np.int64]
    _runs: list[tuple[Run, ...]] = field(init=False)
    _code: list[int] = field(init=False)
    # By the code of the outer loop and that of the loop: the functions of the run up to it.
    _leading: defaultdict[tuple[int, int], _Variants] = field(
        init=False, default_factory=lambda: defaultdict(Counter)
    )
    # By the code of a loop and that of the next one: methods written in C between them.
    _between: defaultdict[tuple[int, int], _Variants] = field(
        init=False, default_factory=lambda: defaultdict(Counter)
    )

    def __post_init__(self) -> None:
        """Convert the stacks."""
        same = self.function_of.tolist()
        self._runs = [
            tuple(tuple((same[function], line) for function, line in run) for run in runs)
            for runs in runs_of_stacks(self.stacks)
        ]
        self._code = self.code_of.tolist()

    def made(
        self, moments: Sequence[LoopMoment], samples: Sequence[int]
    ) -> tuple[PythonStacks, list[int], list[bool]]:
        """Return stacks with those of the moments, the index of each, and which have all names.

        ``samples``: the number of samples of each moment.
        """
        with_stack: Counter[int] = Counter()
        for moment, count in zip(moments, samples, strict=True):
            with_stack[moment.stack] += count
        for stack, count in with_stack.items():
            if stack >= 0:
                self._learn(self._runs[stack], count)
        added: dict[tuple[Run, ...], int] = {}
        made: dict[LoopMoment, tuple[int, bool]] = {}
        for moment in moments:
            if moment not in made:
                runs, complete = self._of(moment)
                index = len(self._runs) + added.setdefault(runs, len(added))
                made[moment] = index, complete
        pairs = [made[moment] for moment in moments]
        stacks = with_stacks(self.stacks, list(added))
        return stacks, [index for index, _ in pairs], [complete for _, complete in pairs]

    def _read(self, moment: LoopMoment) -> tuple[Run, ...]:
        """Return the runs that were read, as far as they fit: the first is that of the first loop.

        Ruby's outermost frame is a run without a call of the loop.
        """
        runs = self._runs[moment.stack] if moment.stack >= 0 else ()
        first = next(at for at, code in enumerate(moment.codes) if code != NO_CODE)
        for skipped in range(_MAX_WITHOUT_LOOP + 1):
            at = first + skipped
            if at < len(runs) and self._place(runs[at], moment.codes[first]) >= 0:
                return runs[skipped:]
        return ()

    def _place(self, run: Run, code: int) -> int:
        """Return the index of the innermost frame of a run that executes the code, or -1."""
        if code == NO_CODE:
            return -1
        places = (at for at in range(len(run) - 1, -1, -1) if self._code[run[at][0]] == code)
        return next(places, -1)

    def _learn(self, runs: tuple[Run, ...], samples: int) -> None:
        """Count, for each function of a stack, which callers it has in this call of the loop.

        All frames of a stack were read at the same time, so they are evidence for any sample.
        """
        outer = NO_CODE
        between: Run = ()
        for depth, run in enumerate(runs):
            last = NO_CODE, 0
            for place, (function, _) in enumerate(run):
                code = self._code[function]
                if code == NO_CODE:
                    continue
                last = code, place + 1
                for caller in {outer, NO_CODE} if depth <= _MAX_WITHOUT_LOOP else {outer}:
                    _note(self._leading[caller, code], self._distinct(run[: place + 1]), samples)
                _note(self._between[outer, code], between, samples)
            outer, between = last[0], run[last[1] :]

    def _distinct(self, run: Run) -> Run:
        """Return the frames without those of a function that called itself."""
        codes = [self._code[function] for function, _ in run]
        return tuple(
            frame
            for at, frame in enumerate(run)
            if at == 0 or codes[at] == NO_CODE or codes[at] != codes[at - 1]
        )

    def _of(self, moment: LoopMoment) -> tuple[tuple[Run, ...], bool]:
        """Return the runs of a moment, and whether all frames have names."""
        read, runs, complete = self._read(moment), [], True
        outer = NO_CODE
        for depth, code in enumerate(moment.codes):
            run = read[depth] if depth < len(read) else ()
            place = self._place(run, code)
            innermost = depth + 1 == len(moment.codes)
            if place >= 0:
                frames = run[: place + 1]
            elif code == NO_CODE and innermost and not moment.calls:
                frames = ()  # the loop is about to start, or has ended
            elif code == NO_CODE and run:
                frames, place = run, len(run) - 1
            else:
                frames, is_known = self._led_to(outer, code, moment.nameless)
                complete = complete and is_known
            behind = run[place + 1 :] if place >= 0 else None
            if innermost:
                frames += self._methods_behind(behind) if moment.calls else ()
            else:
                next_run = read[depth + 1] if depth + 1 < len(read) else ()
                frames += self._methods_between(code, moment.codes[depth + 1], behind, next_run)
            runs.append(frames)
            outer = code
        return tuple(runs), complete

    def _led_to(self, outer: int, code: int, nameless: int) -> tuple[Run, bool]:
        """Return the frames up to a function that the run lacks, and whether all have names."""
        variants = self._leading.get((outer, code), Counter())
        only = _only(variants)
        if only is not None:
            return only, True
        if not variants:
            return ((nameless, 0),), False
        alike: Run | None = None
        for variant in variants:
            frames = tuple((function, 0) for function in variant)
            alike = frames if alike is None else common_frames(alike, frames)
        last = {variant[-1] for variant in variants}
        ends: Run = ((last.pop(), 0),) if len(last) == 1 else ()
        return (*(alike or ()), (nameless, 0), *ends), False

    def _methods_between(self, code: int, further: int, behind: Run | None, next_run: Run) -> Run:
        """Return the methods written in C through which one loop calls the next one.

        ``behind``: the frames behind the function of the outer loop, None if it was not read.
        """
        if behind is not None and self._place(next_run, further) >= 0:
            return behind
        return _only(self._between.get((code, further), Counter())) or ()

    def _methods_behind(self, behind: Run | None) -> Run:
        """Return the methods written in C that the innermost function calls."""
        is_native = all(self._code[function] == NO_CODE for function, _ in behind or ())
        return behind or () if is_native else ()


def _note(variants: _Variants, frames: Run, samples: int) -> None:
    functions = tuple(function for function, _ in frames)
    if functions in variants or len(variants) < _MAX_VARIANTS:
        variants[functions] += samples


def _only(variants: _Variants) -> Run | None:
    """Return the frames of the only variant that is not rare; None if there are several."""
    if not variants:
        return None
    ((functions, samples),) = variants.most_common(1)
    others = variants.total() - samples
    return (
        tuple((function, 0) for function in functions) if samples > _LEAST_RATIO * others else None
    )

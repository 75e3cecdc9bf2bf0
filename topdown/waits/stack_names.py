"""Function names of unique stacks, as arrays that can be searched without loops over stacks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from topdown.waits.records import NO_STACK, Indices


@dataclass(frozen=True)
class StackNames:
    """Names of the frames of stacks, leaf first; those of the kernel come before the program's.

    The frames of stack i are ``frame[offset[i]:offset[i + 1]]``, indices into ``names``.
    ``kernel``: whether the frame is the kernel's.
    """

    names: tuple[str, ...]  # unique
    offset: npt.NDArray[np.uint64]  # (n_stacks + 1,)
    frame: Indices
    kernel: npt.NDArray[np.bool_]

    @classmethod
    def build(cls, stacks: Iterable[tuple[Sequence[str], Sequence[str]]]) -> "StackNames":
        """Return the names of stacks given as (kernel names, program's names), leaf first."""
        numbers: dict[str, int] = {}
        offset, frame, kernel = [0], [], []
        for kernel_names, user_names in stacks:
            for name in (*kernel_names, *user_names):
                frame.append(numbers.setdefault(name, len(numbers)))
            kernel += [True] * len(kernel_names) + [False] * len(user_names)
            offset.append(len(frame))
        return cls(
            names=tuple(numbers),
            offset=np.array(offset, np.uint64),
            frame=np.array(frame, np.uint32),
            kernel=np.array(kernel, np.bool_),
        )

    def __len__(self) -> int:
        """Return the number of stacks."""
        return len(self.offset) - 1

    def of(self, stack: int) -> tuple[str, ...]:
        """Return the names of a stack, leaf first; empty for NO_STACK."""
        return self._part(stack, kernel=None)

    def user(self, stack: int) -> tuple[str, ...]:
        """Return the program's functions of a stack, leaf first."""
        return self._part(stack, kernel=False)

    def kernel_part(self, stack: int) -> tuple[str, ...]:
        """Return the kernel's functions of a stack, leaf first."""
        return self._part(stack, kernel=True)

    def _part(self, stack: int, *, kernel: bool | None) -> tuple[str, ...]:
        if stack == NO_STACK or stack >= len(self):
            return ()
        begin, end = int(self.offset[stack]), int(self.offset[stack + 1])
        frames = self.frame[begin:end]
        if kernel is not None:
            frames = frames[self.kernel[begin:end] == kernel]
        return tuple(self.names[number] for number in frames)

    @cached_property
    def stack_of_frame(self) -> npt.NDArray[np.int64]:
        """Return the stack of each frame, (n_frames,)."""
        return np.repeat(
            np.arange(len(self)), (self.offset[1:] - self.offset[:-1]).astype(np.int64)
        )

    def containing(self, names: Iterable[str], *, kernel: bool) -> npt.NDArray[np.bool_]:
        """Return, per stack, whether a frame of the kernel (or program) has one of the names."""
        searched = frozenset(names)
        listed = np.array([name in searched for name in self.names], np.bool_)
        return self.matching(listed, kernel=kernel)

    def matching(self, listed: npt.NDArray[np.bool_], *, kernel: bool) -> npt.NDArray[np.bool_]:
        """Return, per stack, whether a frame's name is ``listed`` (n_names,)."""
        result = np.zeros(len(self), np.bool_)
        if len(self.frame):
            hit = listed[self.frame] & (self.kernel == kernel)
            result[self.stack_of_frame[hit]] = True
        return result

    @cached_property
    def with_kernel_chain(self) -> npt.NDArray[np.bool_]:
        """Return, per stack, whether the kernel's call chain was recorded.

        Without it the sample's own address, in the scheduler, is the only frame of the kernel.
        """
        begin = self.offset[:-1].astype(np.int64)
        filled = begin + 1 < self.offset[1:].astype(np.int64)
        result = np.zeros(len(self), np.bool_)
        result[filled] = self.kernel[begin[filled] + 1]
        return result

    @cached_property
    def kernel_leaf(self) -> npt.NDArray[np.bool_]:
        """Return, per stack, whether its leaf is the kernel's; False for empty stacks."""
        result = np.zeros(len(self), np.bool_)
        begin = self.offset[:-1].astype(np.int64)
        filled = begin < self.offset[1:].astype(np.int64)
        result[filled] = self.kernel[begin[filled]]
        return result

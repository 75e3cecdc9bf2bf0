"""The live line of the stages lab: the current phase and the time left."""

from collections.abc import Callable
from dataclasses import dataclass, field

from harness.cli.terminal import LiveLine


def ignore_phase(phase: str) -> None:
    """Ignore a phase."""
    del phase


@dataclass(slots=True)
class Progress:
    """The live line: the current phase and the approximate time left."""

    total_s: float
    on_phase: Callable[[str], None] = ignore_phase
    live: LiveLine = field(default_factory=LiveLine)
    done_s: float = 0.0

    def begin_phase(self, text: str) -> None:
        """Report a new phase to the callback and on the live line."""
        self.live.clear()
        self.on_phase(text)
        self.show(text)

    def show(self, text: str) -> None:
        """Show a text with the time left."""
        left_s = self.total_s - self.done_s
        self.live.show(f"{text}; about {left_s:.0f} s left", done=self.done_s, whole=self.total_s)

    def advance(self, seconds: float) -> None:
        """Count seconds of the expected time as done."""
        self.done_s = min(self.total_s, self.done_s + seconds)

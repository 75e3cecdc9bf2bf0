"""A program in a real terminal: a window of a private tmux server, read as text and driven by keys."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest


class Window:
    """A window of 120 by 40 characters. `screen` returns its text; `press` types keys of tmux's names."""

    def __init__(self, socket: Path, environment: Mapping[str, str]) -> None:
        self.tmux = [shutil.which("tmux") or "tmux", "-f", "/dev/null", "-S", str(socket)]
        self.environment = environment  # the server, which the first command starts, inherits it

    def run(self, *words: str) -> str:
        """Run a tmux command, and return its output."""
        ended = subprocess.run(
            [*self.tmux, *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
            env=self.environment,
        )
        return ended.stdout

    def screen(self) -> str:
        return self.run("capture-pane", "-p", "-J")

    def type(self, text: str) -> None:
        """Type text, without a key after it."""
        self.run("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        self.run("send-keys", *keys)

    def wait_for(self, *texts: str, seconds: float = 60) -> str:
        """Return the screen once it has all the texts; the test fails at the time limit."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            shown = self.screen()
            if all(text in shown for text in texts):
                return shown
            time.sleep(0.05)
        pytest.fail(f"{texts} not on the screen:\n{self.screen()}")

    def ended(self, seconds: float = 60) -> bool:
        """Return whether the program of the window has ended, at the latest at the time limit."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            if not self.run("list-panes", "-F", "#{pane_pid}").strip():
                return True
            time.sleep(0.05)
        return False


@contextmanager
def window(
    command: str, folder: Path, *, environment: Mapping[str, str] | None = None
) -> Iterator[Window]:
    """Run a shell command in a window, and end it afterwards. Skips if tmux is not installed."""
    if shutil.which("tmux") is None:
        pytest.skip("needs the program tmux")
    terminal = Window(folder / "tmux.socket", {**os.environ, **(environment or {})})
    terminal.run("new-session", "-d", "-x", "120", "-y", "40", "-c", str(folder), command)
    try:
        yield terminal
    finally:
        terminal.run("kill-server")

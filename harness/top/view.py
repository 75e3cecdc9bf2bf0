"""The live view: draws each interval on the whole terminal, and reacts to keys."""

import time

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text

from harness.cli.terminal import colours
from harness.top.keys import KeyReader
from harness.top.options import TopOptions
from harness.top.result import TopResult
from harness.top.session import Watch, write_page
from harness.top.text import key_lines, lines
from stallscope.errors import ExitCode

HINT = "q quit   p freeze and write the page   s sort   f functions   ? keys"


class View:
    """What is on the screen, and what the keys change."""

    def __init__(self, watch: Watch, options: TopOptions, keys: KeyReader) -> None:
        self._watch = watch
        self._options = options
        self._keys = keys
        self.console = Console(no_color=colours() is False)
        self.quit = False
        self.frozen = False
        self.by_name = False
        self.help = False
        self.status = HINT
        self.result: TopResult | None = None
        self.pages: list[str] = []

    def draw(self, live: Live) -> None:
        """Draw the snapshot, cut to the terminal, with the status in the last line."""
        width, height = self.console.size
        shown = ["measuring ..."]
        if self.result is not None:
            shown = list(lines(self.result, width, by_name=self.by_name))
        if self.help:
            shown = list(key_lines())
        body = shown[: height - 1]
        body += [""] * (height - 1 - len(body))
        prefix = "FROZEN   " if self.frozen else ""
        text = Text("\n".join(body) + "\n", no_wrap=True, overflow="crop")
        text.append(f"{prefix}{self.status}"[: width - 1], style="reverse")
        live.update(text, refresh=True)

    def wait(self, live: Live, seconds: float) -> bool:
        """React to keys during this time. Returns whether the interval is void: frozen or quit."""
        limit = time.monotonic() + seconds
        while True:
            key = self._keys.wait(limit - time.monotonic())
            if not key:
                return False
            self.react(key, live)
            if self.quit or self.frozen:
                return True

    def react(self, key: str, live: Live) -> None:
        """Do what a key stands for."""
        if key == "q":
            self.quit = True
        elif key == "s":
            self.by_name = not self.by_name
        elif key == "?":
            self.help = not self.help
        elif key == "f":
            self._watch.functions.request()
        elif key == "c":
            self.frozen, self.status = False, HINT
        elif key in {"p", " "} and not self.frozen:
            self.frozen, self.status = True, "recording 5 s for the page ..."
            self.draw(live)
            self.pages.append(write_page(self._options))
            self.status = f"{self.pages[-1]}   (c continues, q quits)"
        else:
            return
        self.draw(live)


def run_view(watch: Watch, options: TopOptions) -> int:
    """Return the exit code after the user has quit; pages are named once more at the end."""
    with KeyReader() as keys:
        view = View(watch, options, keys)
        try:
            with Live(console=view.console, screen=True, auto_refresh=False) as live:
                view.draw(live)
                _run(view, watch, live)
        except KeyboardInterrupt:
            pass
    for page in view.pages:
        click.echo(page)
    return int(ExitCode.DONE)


def _run(view: View, watch: Watch, live: Live) -> None:
    while not view.quit:
        if view.frozen:
            view.wait(live, 3600)
            continue
        watch.functions.poll(time.monotonic())
        result = watch.next(lambda seconds: view.wait(live, seconds))
        if result is not None:
            view.result = result
            view.draw(live)

"""The same command again, with the machine's settings pinned around it."""

import sys
from collections.abc import Sequence

from cstates.pinning.claims import default_run_folder
from cstates.pinning.request import PinRequest, bench_profile
from cstates.pinning.session import PinContext
from harness.pin.session import run_and_report
from stallscope.system_files import Roots


def run_pinned_again(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code of this process's command line without --pin, run with pinned settings.

    Settings that this machine does not have, or that this user may not change, are left out and
    named. They are restored however the command ends, also after SIGKILL.
    """
    roots = Roots()
    context = PinContext(roots, default_run_folder(roots), "stallscope bench --pin")
    words = without_pin(sys.argv[1:] if arguments is None else arguments)
    return run_and_report(
        context,
        bench_profile(PinRequest()),
        [sys.executable, "-m", "stallscope", *words],
        allow_partial=True,
    )


def without_pin(arguments: Sequence[str]) -> list[str]:
    """Return a command line without --pin and its value; words after -- are not changed."""
    words, rest = list(arguments), []
    if "--" in words:
        words, rest = words[: words.index("--")], words[words.index("--") :]
    kept, skip = [], False
    for word in words:
        if not skip and word != "--pin" and not word.startswith("--pin="):
            kept.append(word)
        skip = not skip and word == "--pin"
    return kept + rest

"""The entry of the command line: checks that all parts are of one distribution, then hands over."""

import os
import sys
from importlib.machinery import PathFinder

PACKAGES = ("topdown", "cstates", "ioprobe", "harness")


def strangers(search_path: list[str] | None = None) -> list[str]:
    """Return the names of our top-level packages that Python would load from somewhere else."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib costs start-up time
    found = {name: PathFinder.find_spec(name, search_path) for name in PACKAGES}
    return [
        name
        for name, spec in found.items()
        if spec is None
        or spec.origin is None
        or os.path.dirname(os.path.dirname(os.path.abspath(spec.origin))) != home  # noqa: PTH100, PTH120
    ]


def run() -> int:
    """Return the exit code of the command line given in ``sys.argv``."""
    foreign = strangers()
    if foreign:
        sys.stderr.write(
            f"stallscope: error: the packages {', '.join(foreign)} come from another distribution\n"
            "  remedy: install stallscope on its own: pipx install stallscope\n"
        )
        return 3
    from harness.cli.command_line import main  # noqa: PLC0415 - only once all parts are known to be ours

    return main()


if __name__ == "__main__":
    sys.exit(run())

"""Machine trees for tests: generated from the known tables of states, not recorded.

A machine is a text file in ``machines/`` with a line for each file of its tree; ``expand`` writes the
tree into a folder. ``python -m tests.cstates.machine_trees`` writes the text files again from
machine_descriptions.py; a test compares them. To inspect the trees,
``python -m tests.cstates.machine_trees FOLDER`` writes all of them below a folder.
"""

import sys
from pathlib import Path

MACHINES = Path(__file__).parent / "machines"
MARK = "# made from tables of states, not recorded: "


def names() -> tuple[str, ...]:
    """Return the names of the stored machines."""
    return tuple(sorted(path.stem for path in MACHINES.glob("*.txt")))


def expand(name: str, folder: Path, machines: Path = MACHINES) -> Path:
    """Write proc, sys and dev of a machine into the folder, and return it."""
    for line in (machines / f"{name}.txt").read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        place, separator, value = line.partition(" = ")
        assert separator, line
        _write(folder / place, value)
    return folder


def _write(path: Path, value: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if value.startswith("-> "):
        path.symlink_to(value.removeprefix("-> "))
    elif value.startswith("hex "):
        path.write_bytes(bytes.fromhex(value.removeprefix("hex ")))
    else:
        path.write_text(value.encode("ascii").decode("unicode_escape") + "\n")


def text_of(note: str, files: dict[str, str]) -> str:
    """Return the text of a machine's file in ``machines/``."""
    lines = [MARK + note, *(f"{place} = {files[place]}" for place in sorted(files))]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> None:
    """Write the machines' files, or their trees below a folder."""
    from tests.cstates.machine_descriptions import DESCRIPTIONS, files_of

    if arguments:
        for name in names():
            expand(name, Path(arguments[0]) / name)
        return
    MACHINES.mkdir(exist_ok=True)
    for description in DESCRIPTIONS:
        path = MACHINES / f"{description.name}.txt"
        path.write_text(text_of(description.note, files_of(description)))


if __name__ == "__main__":
    main(sys.argv[1:])

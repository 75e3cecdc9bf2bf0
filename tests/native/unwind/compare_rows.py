"""Compares every row of our unwind tables with what readelf makes of the same file.

usage: compare_rows.py PRINT_ROWS FILE|COMPILER...

A compiler stands for the C and C++ libraries that it links with.

Prints each difference (address, what readelf says, what we say) and exits with 1 when there is one.
"""

import bisect
import re
import subprocess
import sys
from collections.abc import Iterator

FUNCTION = re.compile(r"^[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ FDE cie=\S+ pc=([0-9a-f]+)\.\.([0-9a-f]+)")
COLUMNS = re.compile(r"^ +LOC +CFA(.*)$")
IN_REGISTER = re.compile(r"r[0-9]+ \((\w+)\)")
UNKNOWN = {"u", "s"}  # readelf prints u for a column that no instruction has named yet

Row = tuple[int, int, str, dict[str, str]]


def rows_of_readelf(path: str) -> Iterator[Row]:
    """Start, end, CFA and saved registers of each row, function by function."""
    command = ["readelf", "--debug-dump=frames-interp", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        assert process.stdout is not None
        end, names, pending = 0, list[str](), None
        for line in process.stdout:
            if found := FUNCTION.match(line):
                if pending:
                    yield (pending[0], end, *pending[1:])
                pending, end = None, int(found[2], 16)
            elif found := COLUMNS.match(line):
                names = found[1].split()
            elif end and re.match(r"^[0-9a-f]{16} ", line):
                location, cfa, *places = IN_REGISTER.sub(r"\1", line).split()
                start = int(location, 16)
                if pending and start > pending[0]:
                    yield (pending[0], start, *pending[1:])
                pending = start, cfa, dict(zip(names, places, strict=True))
            elif not line.strip():
                if pending:
                    yield (pending[0], end, *pending[1:])
                pending, end = None, 0
        if pending:
            yield (pending[0], end, *pending[1:])


def our_rows(program: str, path: str) -> list[Row]:
    """All rows of our table, sorted."""
    run = subprocess.run([program, path], stdout=subprocess.PIPE, text=True, check=True)
    rows = []
    for line in run.stdout.splitlines():
        start, end, cfa, *places = line.split()
        saved = dict(place.split("=") for place in places)
        rows.append((int(start, 16), int(end, 16), cfa, saved))
    return rows


def followed(saved: dict[str, str], known: re.Pattern[str]) -> dict[str, str]:
    """The registers that we follow, without those that nothing is known of."""
    return {
        name: place
        for name, place in saved.items()
        if known.fullmatch(name) and place not in UNKNOWN
    }


def differences(theirs: Row, ours: list[Row], starts: list[int]) -> Iterator[str]:
    """What differs between one row of readelf's and ours that lie in its range."""
    start, end, cfa, saved = theirs
    known = re.compile(r"r[a-z]+|r[0-9]+|ra|x[0-9]+")
    at = max(bisect.bisect_right(starts, start) - 1, 0)
    position = start
    while position < end:
        if at == len(ours) or ours[at][0] > position or ours[at][1] <= position:
            yield f"{position:#x} readelf: {cfa} {saved}; ours: nothing"
            return
        _, our_end, our_cfa, our_saved = ours[at]
        if our_cfa != cfa or followed(our_saved, known) != followed(saved, known):
            yield f"{position:#x} readelf: {cfa} {saved}; ours: {our_cfa} {our_saved}"
        position, at = our_end, at + 1


def libraries(name: str) -> list[str]:
    """The file itself, or the libraries of a compiler."""
    if not name.endswith("++"):
        return [name]
    found = []
    for library in ("libc.so.6", "libstdc++.so.6"):
        command = [name, f"-print-file-name={library}"]
        found.append(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return [path.strip() for path in found]


def main() -> int:
    """The exit code: 1 where a row differs."""
    program, *names = sys.argv[1:]
    failed = False
    for path in [path for name in names for path in libraries(name)]:
        ours = our_rows(program, path)
        starts = [row[0] for row in ours]
        compared = different = 0
        for theirs in rows_of_readelf(path):
            compared += 1
            for text in differences(theirs, ours, starts):
                different += 1
                if different <= 20:
                    print(f"{path}: {text}")
        print(f"{path}: {compared} rows of readelf, {len(ours)} of ours, {different} differ")
        failed = failed or different > 0 or compared == 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

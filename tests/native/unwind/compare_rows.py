"""Compare every row of stallscope's unwind tables with readelf's rows of the same file.

usage: compare_rows.py PRINT_ROWS FILE|COMPILER...

For a compiler, its C and C++ libraries are compared.

Prints every difference (address, readelf's row, our row) and exits with 1 if any row differs.
"""

import bisect
import re
import subprocess
import sys
from collections.abc import Iterator

FUNCTION = re.compile(r"^[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ FDE cie=\S+ pc=([0-9a-f]+)\.\.([0-9a-f]+)")
COLUMNS = re.compile(r"^ +LOC +CFA(.*)$")
IN_REGISTER = re.compile(r"r[0-9]+ \((\w+)\)")
UNKNOWN = {"u", "s"}  # readelf prints u for a column without an instruction so far

Row = tuple[int, int, str, dict[str, str]]


def rows_of_readelf(path: str) -> Iterator[Row]:
    """The rows of readelf by function: start, end, CFA and saved registers."""
    command = ["readelf", "--debug-dump=frames-interp", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        assert process.stdout is not None
        end, names, pending = 0, list[str](), None
        for line in process.stdout:
            if match := FUNCTION.match(line):
                if pending:
                    yield (pending[0], end, *pending[1:])
                pending, end = None, int(match[2], 16)
            elif match := COLUMNS.match(line):
                names = match[1].split()
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
    """The rows of our table, sorted."""
    run = subprocess.run([program, path], stdout=subprocess.PIPE, text=True, check=True)
    rows = []
    for line in run.stdout.splitlines():
        start, end, cfa, *places = line.split()
        saved = dict(place.split("=") for place in places)
        rows.append((int(start, 16), int(end, 16), cfa, saved))
    return rows


def followed(saved: dict[str, str], known: re.Pattern[str]) -> dict[str, str]:
    """The registers that the unwinder tracks, without unknown values."""
    return {
        name: place
        for name, place in saved.items()
        if known.fullmatch(name) and place not in UNKNOWN
    }


def differences(theirs: Row, ours: list[Row], starts: list[int]) -> Iterator[str]:
    """The differences between a row of readelf and our rows in its range."""
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
    """The file, or the libraries of a compiler."""
    if not name.endswith("++"):
        return [name]
    paths = []
    for library in ("libc.so.6", "libstdc++.so.6"):
        command = [name, f"-print-file-name={library}"]
        paths.append(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return [path.strip() for path in paths]


def main() -> int:
    """The exit code: 1 if a row differs."""
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

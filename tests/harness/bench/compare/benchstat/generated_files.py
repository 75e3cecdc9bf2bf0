"""Random benchmark files and options for comparisons with the real benchstat."""

import random
from pathlib import Path

UNITS = [
    "ns/op",
    "B/op",
    "allocs/op",
    "MB/s",
    "req/s",
    "x-bytes",
    "p99-ns",
    "op/ns",
    "MB*ns/x",
    "widgets",
]
KEYS = ["goos", "pkg", "cpu", "commit", "note", "größe"]
VALUES = [
    "linux",
    "a b",
    "1",
    "10",
    "2k",
    "1Mi",
    "x,y",
    'say "hi"',
    " spaced",
    "µ",
    "NaN",
    "-3",
    "0x10",
]
FILTERS = [
    "*",
    ".name:Get",
    "-.name:Put",
    "/size:(64 OR 1k)",
    ".unit:ns/op",
    ".unit:sec/op",
    "goos:linux OR pkg:1",
    ".fullname:/size=[0-9]+/",
    "-(.unit:B/op) *",
    "/kind:/^r/ -/size:64",
    'note:"a b"',
    "-commit:10",
]
ROWS = [
    ".fullname",
    ".name",
    ".name,/size@num",
    "/kind,/size",
    ".fullname@alpha",
    "/size@num /gomaxprocs",
    ".name@(Put Get Scan)",
    "pkg,.name",
]
COLS = [
    ".file",
    "goos",
    "/kind",
    ".file,/kind",
    "commit@num",
    "commit@alpha,.file",
    "/size@num",
    ".name",
    ".config",
]
TABLES = [".config", "", "goos", "pkg,commit", ".config@alpha", "/kind"]
IGNORES = ["", "note", "goos,commit", "/gomaxprocs", ".name", ".config", "cpu,/size"]


def names(choice: random.Random) -> list[str]:
    names = set()
    for _ in range(choice.randint(1, 7)):
        name = choice.choice(["Get", "Put", "Scan", "Größe", "Sort-x"])
        if choice.random() < 0.6:
            name += f"/size={choice.choice(['64', '1k', '100', '20'])}"
        if choice.random() < 0.4:
            name += f"/{choice.choice(['kind=rand', 'kind=asc', 'plain', 'kind='])}"
        if choice.random() < 0.6:
            name += f"-{choice.choice([1, 4, 16])}"
        names.add(name)
    return sorted(names, key=lambda _: choice.random())


def value(choice: random.Random, center: float, style: str) -> str:
    number = center * choice.gauss(1, 0.02)
    if style == "integer":
        return str(int(number))
    if style == "equal":
        return f"{center:.3f}"
    if style == "ties":
        return str(round(number / center * 20) * round(center))
    if style == "extreme" and choice.random() < 0.1:
        return choice.choice(
            ["0", "+Inf", "-5", "1e300", "1e-300", "0x1p4", "1_000.5", "-0", "5e-324", "inf"]
        )
    return choice.choice([f"{number:.2f}", f"{number!r}", f"{number:.3e}"])


def junk(choice: random.Random) -> str:
    return choice.choice(
        [
            "PASS",
            "ok  \tpkg\t1.2s",
            "BenchmarkAlone",
            "BenchmarkBad x 5 ns/op",
            "BenchmarkBad 10 5",
            "BenchmarkBad 10",
            "Benchmark",
            "BenchmarkBad 10 y ns/op",
            "Unit",
            "Unit ns/op",
            "Unit ns/op x",
            "Unit widgets better=lower",
            "Unit widgets better=higher",
            "Unit x-bytes assume=exact",
            "BenchmarkBad 99999999999999999999 5 ns/op",
            "BenchmarkBad 1 1e400 ns/op",
            "# comment",
            "goos:",
            "Key: upper",
            "key:novalue",
            "note: ",
            "BenchmarkU 1 1 ns/op\r",
            "--- FAIL: x",
            "BenchmarkBad  ",
        ]
    )


def write_file(
    choice: random.Random, path: Path, common: list[str], units: list[str], exact: bool
) -> None:
    lines = []
    for key in KEYS[: choice.randint(0, len(KEYS))]:
        lines.append(f"{key}: {choice.choice(VALUES[:3] if choice.random() < 0.7 else VALUES)}")
    if exact:
        lines.append(f"Unit {units[-1]} assume=exact")
    style = choice.choice(["float", "float", "integer", "equal", "ties", "extreme"])
    rounds = choice.choice([1, 2, 3, 4, 5, 6, 7, 10, 21, 26, 29, 31, 55])
    centers = {name: 10 ** choice.uniform(-3, 8) for name in common}
    chosen = [name for name in common if choice.random() < 0.85]
    order = (
        [name for name in chosen for _ in range(rounds)]
        if choice.random() < 0.5
        else chosen * rounds
    )
    for name in order:
        if choice.random() < 0.03:
            lines.append(f"{choice.choice(KEYS)}: {choice.choice(VALUES)}")
        if choice.random() < 0.03:
            lines.append(junk(choice))
        kept = [unit for unit in units if choice.random() < 0.97] or units[:1]
        pairs = choice.choice([" ", "\t", "  "]).join(
            f"{value(choice, centers[name], style)} {unit}" for unit in kept
        )
        lines.append(
            f"Benchmark{name}{choice.choice(['  ', chr(9)])}{choice.randint(1, 10**6)}\t{pairs}"
        )
    path.write_text("\n".join(lines) + choice.choice(["\n", ""]), encoding="utf-8")


def write_case(folder: Path, seed: int) -> list[str]:
    """Write the files of a case and return benchstat's arguments."""
    choice = random.Random(seed)
    common = names(choice)
    units = choice.sample(UNITS, choice.randint(1, 4))
    exact = choice.random() < 0.3
    files = []
    for number in range(choice.choice([1, 2, 2, 2, 2, 3])):
        name = f"{'abc'[number]}.txt"
        write_file(choice, folder / name, common, units, exact)
        files.append(f"L{number}={name}" if choice.random() < 0.1 else name)
    if choice.random() < 0.05:
        files.append(files[0])
    options: list[str] = []
    if choice.random() < 0.4:
        options += ["-filter", choice.choice(FILTERS)]
    for option, values in (
        ("-row", ROWS),
        ("-col", COLS),
        ("-table", TABLES),
        ("-ignore", IGNORES),
    ):
        if choice.random() < 0.3:
            options += [option, choice.choice(values)]
    if choice.random() < 0.3:
        options += ["-format", "csv"]
    if choice.random() < 0.2:
        options += ["-alpha", choice.choice(["0.01", "0.2", "1", "0", "1e-9"])]
    if choice.random() < 0.2:
        options += ["-confidence", choice.choice(["0.99", "0.5", "0.8", "1", "0"])]
    return [*options, *files]

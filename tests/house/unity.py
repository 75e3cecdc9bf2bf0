"""Names that are local to a C++ source, and the targets that compile several sources as one.

A unity build puts the unnamed namespaces of a target's sources into one: equal names of types do not compile, and
functions of equal name become overloads, of which a call may silently take another file's. A name that equals a
function of `native/base` hides it from every unqualified call in its namespace.

The reader of C++ knows comments, literals and braces, no preprocessor and no grammar. It takes the names of
functions, types and aliases that stand directly in an unnamed namespace, or are `static` outside of braces
other than those of namespaces. It does not see names that macros make, operators, constants, and sources that
CMake adds by other commands than those in TARGET. Local names are compared without namespaces and parameters:
two sources of a target cannot overload a function.

`python -m tests.house.unity` lists what it finds.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
TARGET = re.compile(
    r"(?:stallscope_(?:library|program|test)|nanobind_add_module)\((\w[\w-]*)([^)]*)\)"
)
VARIABLE = re.compile(r"\bset\((\w+) ([^)]*)\)")
SECTION = re.compile(r"\b(SOURCES|ALONE|LINKS)\b")
SOURCE = re.compile(r"[\w./-]+\.cpp\b")
SKIPPED = re.compile(
    r'//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"'
    r"|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL | re.MULTILINE,
)
TYPE = re.compile(
    r"\b(?:struct|class|union|enum(?: class)?)\s+(?:\[\[.*?\]\]\s*)?(?:alignas\(.*?\)\s*)?(\w+)\b"
)
ALIAS = re.compile(r"^using (\w+) =")
FUNCTION = re.compile(r"(?<![\w:.>])(\w+)\(")
NO_FUNCTION = {
    "alignas",
    "decltype",
    "requires",
    "noexcept",
    "explicit",
    "static_assert",
    "TEST_CASE",
}
NAMESPACE = re.compile(r"(?:inline )?namespace ?([\w:]*)")
BASE = "stallscope"  # the namespace of native/base
HEAD_OF_TYPE = re.compile(r"^(?:template <.*?> )?(?:struct|class|union|enum)\b")


@dataclass(frozen=True)
class LocalName:
    """A function or type with internal linkage: its name and its line, from 1."""

    name: str
    line: int


@dataclass(frozen=True)
class _Declaration:
    """Text up to the body, its line, and the namespaces around it; an unnamed one has no name."""

    text: str
    line: int
    namespaces: tuple[str, ...]


def local_names(source: str) -> Iterator[LocalName]:
    """Yield the names of functions and types that no other file can refer to, unless in a unity build."""
    for item in _declarations(_code(source)):
        if ("" in item.namespaces or item.text.startswith("static ")) and (name := _name(item)):
            yield LocalName(name, item.line)


def public_functions(header: str) -> dict[str, str]:
    """Return the functions that a header declares in named namespaces, with their namespaces."""
    return {
        name: "::".join(item.namespaces)
        for item in _declarations(_code(header))
        if "" not in item.namespaces and not HEAD_OF_TYPE.match(item.text) and (name := _name(item))
    }


def unity_sources(cmake: str) -> dict[str, list[str]]:
    """Return the sources of each target of a CMakeLists.txt that are compiled as one."""
    cmake = re.sub(r"#[^\n]*", "", cmake)
    for variable, value in VARIABLE.findall(cmake):
        cmake = cmake.replace(f"${{{variable}}}", value)
    targets = {}
    for name, arguments in TARGET.findall(cmake):
        section, sources = "SOURCES", []
        for part in SECTION.split(arguments):
            if SECTION.fullmatch(part):
                section = part
            elif section == "SOURCES":
                sources += SOURCE.findall(part)
        targets[name] = sources
    return targets


def clashes(checkout: Path) -> Iterator[str]:
    """Yield a message for each name that two sources of a target have, or that hides a function of base."""
    base = {
        name
        for header in (checkout / "native/base").glob("*.hpp")
        for name, namespace in public_functions(header.read_text()).items()
        if namespace == BASE
    }
    for header in sorted((checkout / "native").rglob("*.hpp")):
        for name, namespace in public_functions(header.read_text()).items():
            if name in base and namespace.startswith(f"{BASE}::"):
                yield f"{header.relative_to(checkout)}: {name!r} hides a function of native/base"
    for folder in ("native", "tests/native"):
        for cmake in sorted((checkout / folder).rglob("CMakeLists.txt")):
            for target, sources in unity_sources(cmake.read_text()).items():
                files = [cmake.parent / source for source in sources]
                for name, places in _places(files, checkout).items():
                    if len(places) > 1:
                        yield f"{target}: {name!r} is a local name of several sources: {places}"
                    if name in base:
                        yield f"{target}: {name!r} hides a function of native/base: {places}"


def _places(files: Iterable[Path], checkout: Path) -> dict[str, list[str]]:
    """Return the place in each file of each local name; of several in one file the last."""
    places: dict[str, dict[Path, int]] = defaultdict(dict)
    for file in files:
        for local in local_names(file.read_text()) if file.exists() else ():
            places[local.name][file] = local.line
    return {
        name: [f"{file.relative_to(checkout)}:{line}" for file, line in lines.items()]
        for name, lines in places.items()
    }


def _code(source: str) -> str:
    """Return the source without comments, directives and the content of literals, with the same lines."""
    return SKIPPED.sub(lambda match: " " + "\n" * match[0].count("\n"), source)


def _declarations(code: str) -> Iterator[_Declaration]:
    """Yield the declarations that are directly in namespaces."""
    namespaces: list[str] = []
    depth = start = 0  # depth: braces inside of a declaration
    for match in re.finditer(r"[{};]", code):
        brace, raw = match[0], code[start : match.start()]
        if depth:
            depth += {"{": 1, "}": -1, ";": 0}[brace]
        elif brace == "{" and (opened := NAMESPACE.fullmatch(" ".join(raw.split()))):
            namespaces.append(opened[1])
        elif brace == "}":
            namespaces = namespaces[:-1]
        else:
            if text := " ".join(raw.split()):
                line = code.count("\n", 0, start + len(raw) - len(raw.lstrip())) + 1
                yield _Declaration(text, line, tuple(namespaces))
            depth = int(brace == "{")
        if not depth:
            start = match.end()


def _name(declaration: _Declaration) -> str | None:
    """Return the name that a declaration introduces; None for a variable and what the reader does not know."""
    text = re.sub(r"\[\[.*?\]\]\s*", "", re.sub(r"^template <.*?> (?=\w)", "", declaration.text))
    if HEAD_OF_TYPE.match(text):
        match = TYPE.match(text)
        return match[1] if match and "(" not in text and " = " not in text else None
    if alias := ALIAS.match(text):
        return alias[1]
    head = re.split(r"(?<![=<>!])=(?!=)", text)[0]
    return next((name for name in FUNCTION.findall(head) if name not in NO_FUNCTION), None)


if __name__ == "__main__":
    sys.stdout.writelines(f"{clash}\n" for clash in clashes(CHECKOUT))

"""Names that are local to a C++ source, and the targets that compile several sources as one.

A unity build puts the unnamed namespaces of a target's sources into one: equal names of types do not compile, and
functions of equal name become overloads, of which a call may silently take another file's. A name that equals a
function of `native/base` hides it in the whole target.

The reader of C++ knows comments, literals and braces, no preprocessor and no grammar. It takes the names of
functions, types and aliases that stand directly in an unnamed namespace, or are `static` outside of braces
other than those of namespaces. It does not see names that macros make, operators, constants, and sources that
CMake adds by other commands than those in TARGET. A name is compared without its namespace and its parameters, so
that two sources of a target cannot overload a local function; the sources of one name are one file.

`python -m tests.house.unity` lists what it finds.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
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
HEAD_OF_TYPE = re.compile(r"^(?:template <.*?> )?(?:struct|class|union|enum)\b")


@dataclass(frozen=True)
class LocalName:
    """A function or type with internal linkage: its name and its line, from 1."""

    name: str
    line: int


def local_names(source: str) -> Iterator[LocalName]:
    """Yield the names of functions and types that no other file can refer to, unless in a unity build."""
    for declaration, line, is_unnamed in _declarations(_code(source)):
        if (is_unnamed or declaration.startswith("static ")) and (name := _name(declaration)):
            yield LocalName(name, line)


def public_functions(header: str) -> set[str]:
    """Return the names of functions that a header declares in named namespaces."""
    return {
        name
        for declaration, _, is_unnamed in _declarations(_code(header))
        if not is_unnamed and not HEAD_OF_TYPE.match(declaration) and (name := _name(declaration))
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
        for name in public_functions(header.read_text())
    }
    for folder in ("native", "tests/native"):
        for cmake in sorted((checkout / folder).rglob("CMakeLists.txt")):
            for target, sources in unity_sources(cmake.read_text()).items():
                places: dict[str, dict[str, int]] = defaultdict(dict)
                for source in sources:
                    if (file := cmake.parent / source).exists():
                        for local in local_names(file.read_text()):
                            places[local.name][f"{file.relative_to(checkout)}"] = local.line
                for name, files in places.items():
                    where = ", ".join(f"{path}:{line}" for path, line in files.items())
                    if len(files) > 1:
                        yield f"{target}: {name!r} is a local name of several sources: {where}"
                    if name in base:
                        yield f"{target}: {name!r} hides a function of native/base: {where}"


def _code(source: str) -> str:
    """Return the source without comments, directives and the content of literals, with the same lines."""
    return SKIPPED.sub(lambda match: " " + "\n" * match[0].count("\n"), source)


def _declarations(code: str) -> Iterator[tuple[str, int, bool]]:
    """Yield the declarations directly in namespaces: text up to the body, line, and whether it is unnamed."""
    namespaces: list[bool] = []  # for each open namespace: it or one around it is unnamed
    depth, start = 0, 0
    for match in re.finditer(r"[{};]", code):
        if depth == 0:
            text = " ".join(code[start : match.start()].split())
            line = (
                code.count("\n", 0, match.start() - len(code[start : match.start()].lstrip())) + 1
            )
            if match[0] == "{" and (
                opened := re.fullmatch(r"(?:inline )?namespace\s*([\w:]*)", text)
            ):
                namespaces.append(not opened[1] or any(namespaces))
                start = match.end()
                continue
            if match[0] == "}":
                namespaces = namespaces[:-1]
            elif text:
                yield text, line, any(namespaces)
            start = match.end()
        depth = (
            max(0, depth + {"{": 1, "}": -1, ";": 0}[match[0]]) if match[0] != "}" or depth else 0
        )
        if depth == 0:
            start = match.end()


def _name(declaration: str) -> str | None:
    """Return the name that a declaration introduces; None for a variable and what the reader does not know."""
    text = re.sub(r"\[\[.*?\]\]\s*", "", re.sub(r"^template <.*?> (?=\w)", "", declaration))
    if HEAD_OF_TYPE.match(text):
        match = TYPE.match(text)
        return match[1] if match and "(" not in text and " = " not in text else None
    if alias := ALIAS.match(text):
        return alias[1]
    head = re.split(r"(?<![=<>!])=(?!=)", text)[0]
    return next((name for name in FUNCTION.findall(head) if name not in NO_FUNCTION), None)


if __name__ == "__main__":
    sys.stdout.writelines(f"{clash}\n" for clash in clashes(CHECKOUT))

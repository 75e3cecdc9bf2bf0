"""Which test file covers a module: the one in the mirrored place, or the one in mirror.toml."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("stallscope", "topdown", "cstates", "ioprobe", "harness")
# A folder whose modules are alike is tested as a whole.
FOLDERS = {"harness/commands": "tests/harness/commands/test_examples.py"}
FUNCTION = re.compile(r"^\s*def ", re.MULTILINE)
LIST = Path(__file__).with_name("mirror.toml")


@dataclass(frozen=True, slots=True)
class Coverage:
    """The content of mirror.toml: test files by module, both as paths.

    ``direct``: the test file imports or names the module. ``indirect``: it imports or names a
    module that imports it.
    """

    direct: Mapping[str, str]
    indirect: Mapping[str, str]


def read_coverage(path: Path = LIST) -> Coverage:
    content = tomllib.loads(path.read_text())
    return Coverage(content["direct"], content["indirect"])


def modules(root: Path) -> Iterator[str]:
    """Yield the paths of all modules with a function, such as "cstates/machine.py".

    A module that only declares types has nothing to test; its users' tests cover it.
    """
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            if path.name != "__init__.py" and FUNCTION.search(path.read_text()):
                yield path.relative_to(root).as_posix()


def mirrored(module: str) -> str:
    """Return the path of a module's test file; that of ``__main__.py`` is ``test_main.py``."""
    folder, _, name = module.rpartition("/")
    return f"tests/{folder}/test_{name.replace('__main__', 'main')}"


def dotted(module: str) -> str:
    return module.removesuffix(".py").replace("/", ".")


def named_modules(source: str) -> set[str]:
    """Return the dotted names that a file imports, or that its strings contain."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.replace("`", " ").split()
            names |= {word.rstrip(".,:;").removesuffix(".py").replace("/", ".") for word in words}
    return names


def problems(root: Path, coverage: Coverage) -> list[str]:
    """Return a line for each module without a test, and for each wrong entry of the list."""
    known = list(modules(root))
    listed = {**coverage.indirect, **coverage.direct}
    return [
        *(
            f"{module}: write its tests into {mirrored(module)}; only if another test file "
            f"covers it, add a line to tests/house/mirror.toml, and raise no limit"
            for module in known
            if not (root / mirrored(module)).exists()
            and module not in listed
            and module.rpartition("/")[0] not in FOLDERS
        ),
        *(
            f"{module}: there is no such module; remove it from tests/house/mirror.toml"
            for module in listed
            if module not in known
        ),
        *(
            f"{module}: {mirrored(module)} exists; remove the module from tests/house/mirror.toml"
            for module in listed
            if (root / mirrored(module)).exists()
        ),
        *(
            f"{module}: it is in both tables of tests/house/mirror.toml"
            for module in coverage.indirect
            if module in coverage.direct
        ),
        *_wrong_tests(root, coverage, known),
    ]


def _wrong_tests(root: Path, coverage: Coverage, known: list[str]) -> Iterator[str]:
    entries = [*coverage.direct.items(), *coverage.indirect.items()]
    for module, test in entries:
        if not (root / test).is_file():
            yield f"{module}: there is no file {test}; name another one in tests/house/mirror.toml"
    files = {file for entry in entries for file in entry if (root / file).is_file()}
    sources = {file: (root / file).read_text() for file in {*files, *known}}
    # Parsing is expensive: of the other modules, only those are parsed that may import a listed one.
    stems = re.compile("|".join(re.escape(Path(module).stem) for module in coverage.indirect))
    files |= {file for file in known if coverage.indirect and stems.search(sources[file])}
    names = {file: named_modules(sources[file]) for file in files}
    for module, test in coverage.direct.items():
        if test in names and dotted(module) not in names[test]:
            yield f"{module}: {test} does not import or name it"
    for module, test in coverage.indirect.items():
        if test in names and dotted(module) in names[test]:
            yield f"{module}: {test} imports it; move it to the table [direct]"
        elif test in names and not any(
            dotted(user) in names[test] and dotted(module) in names.get(user, ()) for user in known
        ):
            yield f"{module}: {test} imports no module that imports it"

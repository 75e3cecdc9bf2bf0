"""Which test file covers a module: the one in the mirrored place, or the one in mirror.toml."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

PACKAGES = ("stallscope", "topdown", "cstates", "ioprobe", "harness")
# A folder whose modules are alike is tested as a whole.
FOLDERS = {
    "harness/commands": "tests/harness/commands/test_examples.py",
    "harness/diagnose/findings": "tests/harness/diagnose/findings/test_rules.py",
}
FUNCTION = re.compile(r"^\s*def ", re.MULTILINE)
LIST = Path(__file__).with_name("mirror.toml")


def read_list(path: Path = LIST) -> dict[str, str]:
    """Return the content of mirror.toml: test files by module, both as paths."""
    return tomllib.loads(path.read_text())


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


def problems(root: Path, listed: Mapping[str, str]) -> list[str]:
    """Return a line for each module without a test, and for each wrong entry of the list."""
    known = list(modules(root))
    missing = [
        f"{module}: write its tests into {mirrored(module)}; only if another test file "
        f"covers it, add a line to tests/house/mirror.toml, and raise no limit"
        for module in known
        if not (root / mirrored(module)).exists()
        and module not in listed
        and module.rpartition("/")[0] not in FOLDERS
    ]
    return [*missing, *(text for entry in listed.items() for text in _wrong(root, known, *entry))]


def _wrong(root: Path, known: Sequence[str], module: str, test: str) -> Iterator[str]:
    """Yield what is wrong with an entry of the list."""
    if module not in known:
        yield f"{module}: there is no such module; remove it from tests/house/mirror.toml"
    elif (root / mirrored(module)).exists():
        yield f"{module}: {mirrored(module)} exists; remove the module from tests/house/mirror.toml"
    if not (root / test).is_file():
        yield f"{module}: there is no file {test}; name another one in tests/house/mirror.toml"
    elif dotted(module) not in named_modules((root / test).read_text()):
        yield f"{module}: {test} does not import or name it"

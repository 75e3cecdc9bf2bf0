"""The sources of a unity target have different local names."""

from pathlib import Path

import pytest

from tests.house.unity import clashes, local_names, public_functions, unity_sources


def test_no_local_name_of_a_unity_target_collides(checkout: Path) -> None:
    messages = list(clashes(checkout))
    assert not messages, "\n".join(messages)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("namespace a {\nnamespace {\nint count(int x) { return f(x); }\n}\n}", [("count", 3)]),
        ("namespace {\nstruct row {\n  int size() const;\n};\n}", [("row", 2)]),
        ("namespace {\nenum class state { on, off };\nusing rows = int;\n}", [("state", 2), ("rows", 3)]),
        ("namespace {\ntemplate <typename T>\nbool visit(T each) {}\n}", [("visit", 2)]),
        ("namespace {\n[[noreturn]] void fail(const char* what) { g({1}); }\n}", [("fail", 2)]),
        ("static int count(int x) { return x; }", [("count", 1)]),
        ("namespace {\n// int f() {}\nconst char* text = \"int g() {}\";\n}", []),
        ("namespace {\nconstexpr int limit = pick(3);\nint table[]{1, 2};\n}", []),
        ("namespace {\n}\nint count(int x) { return x; }", []),
        ("namespace {\nint row::size() const { return 1'000; }\n}", []),
        ("#define OPEN {\nnamespace {\nint f(std::array<int, 2> x) {}\n}", [("f", 3)]),
    ],
)  # fmt: skip
def test_local_names_are_read(source: str, names: list[tuple[str, int]]) -> None:
    assert [(local.name, local.line) for local in local_names(source)] == names


def test_public_functions_are_those_of_named_namespaces() -> None:
    header = (
        "namespace a {\nstruct row { int size(); };\n[[nodiscard]] int count(row);\n"
        "inline int twice(int x) { return 2 * x; }\n}"
    )
    assert public_functions(header) == {"count": "a", "twice": "a"}


def test_sources_that_are_compiled_alone_are_not_of_the_unity() -> None:
    cmake = (
        "set(more c.cpp d/e.cpp)\nstallscope_library(name SOURCES a.cpp ${more} # x.cpp\n"
        "  ALONE b.cpp\n  LINKS f.cpp)\nnanobind_add_module(module NB_STATIC g.cpp)"
    )
    assert unity_sources(cmake) == {"name": ["a.cpp", "c.cpp", "d/e.cpp"], "module": ["g.cpp"]}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project whose target has two sources with a function `parse`."""
    for folder in ("native/base", "native/rows", "tests/native"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "native/base/file.hpp").write_text(
        "namespace stallscope {\nvoid read_text();\nnamespace cli {\nint parse();\n}\n}"
    )
    (tmp_path / "native/rows/CMakeLists.txt").write_text(
        "stallscope_library(rows SOURCES a.cpp b.cpp)"
    )
    (tmp_path / "native/rows/a.cpp").write_text(
        "namespace {\nint parse(int x);\nint parse(long x);\n}"
    )
    (tmp_path / "native/rows/b.cpp").write_text("namespace {\nint parse(char* x);\n}")
    return tmp_path


def test_equal_names_are_reported_with_their_places(project: Path) -> None:
    (message,) = clashes(project)
    assert message == (
        "rows: 'parse' is a local name of several sources: "
        "['native/rows/a.cpp:3', 'native/rows/b.cpp:2']"
    )


def test_a_name_that_hides_a_function_of_base_is_reported(project: Path) -> None:
    (project / "native/rows/b.cpp").write_text("namespace {\nint read_text(char* x);\n}")
    (message,) = clashes(project)
    assert message == "rows: 'read_text' hides a function of native/base: ['native/rows/b.cpp:2']"


def test_a_public_function_that_hides_one_of_base_is_reported(project: Path) -> None:
    (project / "native/rows/b.cpp").write_text("")
    header = "namespace stallscope::rows {\nint read_text(int x);\nint parse();\n}"
    (project / "native/rows/rows.hpp").write_text(header)
    (message,) = clashes(project)
    assert message == "native/rows/rows.hpp: 'read_text' hides a function of native/base"

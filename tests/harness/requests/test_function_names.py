import pytest

from harness.requests.function_names import place_text, short_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fsync", "fsync"),
        ("__libc_pwrite64@@GLIBC_2.2.5", "__libc_pwrite64"),
        ("server::(anonymous namespace)::flush_log(server::file&)", "flush_log"),
        ("store<int, std::less<int> >::insert(int) const", "insert"),
        ("std::vector<a::b>::~vector()", "~vector"),
        ("operator new(unsigned long)", "operator new"),
        ("server::handler::operator()(int) const", "operator()"),
        ("main.func1", "main.func1"),
        ("((", "(("),
        ("", ""),
    ],
)
def test_arguments_and_namespaces_are_removed(name: str, expected: str) -> None:
    assert short_name(name) == expected


def test_a_chain_is_printed_leaf_first() -> None:
    assert place_text(("fsync", "a::flush(int)", "run", "main")) == "fsync < flush < run"

"""Demangling of C++ and Rust names, and of hostile names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stallscope._native import demangle


@pytest.mark.parametrize(
    ("mangled", "readable"),
    [
        (
            b"_ZNSt6vectorIiSaIiEE9push_backERKi",
            b"std::vector<int, std::allocator<int> >::push_back(int const&)",
        ),
        (b"_Z3fooILi3EEvT_", b"void foo<3>(3)"),
        (b"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", b"core::fmt::Formatter::pad"),
        (b"_RNvC6_123foo3bar", b"123foo::bar"),
        (b"_RNvNtCs1234_7mycrate3foo3bar", b"mycrate::foo::bar"),
        (b"main", b"main"),
        (b"_Zork", b"_Zork"),
        (b"_Z", b"_Z"),
        (b"", b""),
        (b"\xff\xfe", b"\xff\xfe"),
        (b"_ZN3fooE\0v", b"_ZN3fooE\0v"),
    ],
)
def test_known_names_are_demangled(mangled: bytes, readable: bytes) -> None:
    assert demangle([mangled]) == [readable]


def test_the_list_keeps_its_order_and_length() -> None:
    names = [b"b", b"_Z1av", b"c"]
    assert demangle(names) == [b"b", b"a()", b"c"]
    assert demangle([]) == []


def test_names_that_would_expand_without_bound_stay_mangled() -> None:
    # The type of every argument is a pair of the previous type, which doubles its length.
    types = "1AIiiE"
    for index in range(40):
        # Every step creates two substitutions: the template name and the whole type.
        back = f"S{to_base_36(2 * index)}_"
        types += f"1BI{back}{back}E"
    bomb = f"_Z1f{types}".encode()
    assert demangle([bomb]) == [bomb]


def to_base_36(number: int) -> str:
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return digits[number] if number < 36 else to_base_36(number // 36) + digits[number % 36]


def test_deeply_nested_and_long_names_are_safe() -> None:
    deep = b"_Z1f" + b"P" * 16_000 + b"i"
    longest = b"_Z" + b"16370" + b"a" * 20_000 + b"v"
    for name in demangle([deep, longest]):
        assert len(name) <= 65_536


def test_names_must_be_bytes() -> None:
    with pytest.raises(TypeError):
        demangle(["main"])  # type: ignore[list-item]


@given(st.lists(st.binary(max_size=60).map(lambda tail: b"_Z" + tail)))
def test_any_name_has_a_bounded_result(names: list[bytes]) -> None:
    assert all(len(name) <= 65_536 for name in demangle(names))


@given(st.text("NSt6vectorIiEv_RCK0123T", max_size=80), st.sampled_from(["_Z", "_R"]))
def test_names_that_look_mangled_are_safe(tail: str, start: str) -> None:
    (name,) = demangle([(start + tail).encode()])
    assert len(name) <= 65_536

"""Hostile names in the browser are shown as text and never executed."""

from collections.abc import Callable
from typing import Any

import pytest

from topdown.stacks import profile as contract
from topdown.stacks.profile import Function, FunctionKind, Profile, Thread

pytestmark = pytest.mark.browser

HOSTILE = [
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    '"><svg onload=window.pwned=1>',
    "'`${window.pwned=1}`\"",
    "javascript:window.pwned=1",
    "\u202egnp.exe\u202c",
    "line\u2028end\u2029\x00\x1b[31m\r\n",
    "\ud800 lone",
    b"\xff\xfe broken".decode("utf-8", "replace"),
    "long" * 5000,
    "__proto__",
    "constructor",
    "toString",
    "a;b",
    "",
]


@pytest.fixture
def page(opened: Callable[[Profile], Any], profile_of: Callable[..., Profile]) -> Any:
    functions = [Function(name, name, FunctionKind.USER, ((name, 1),)) for name in HOSTILE]
    threads = [Thread(n + 1, n + 1, name, name) for n, name in enumerate(HOSTILE)]
    rows = [((function, function), 10, n) for n, function in enumerate(functions)]
    warnings = tuple(contract.ProfileWarning("w", name) for name in HOSTILE)
    return opened(profile_of(rows, threads=threads, warnings=warnings, title=HOSTILE[0]))


def elements(page: Any) -> set[str]:
    texts: list[str] = page.run(
        "return [...document.querySelectorAll('body *')].map((e) => e.localName)"
    )
    return set(texts)


def test_no_script_in_names_runs(page: Any) -> None:
    page.click("threads-open")
    page.search("o")
    for place in range(len(HOSTILE)):
        page.run("stallscope.view.update({selected: arguments[0], zoom: 0})", place)
        page.settled()
        page.run("stallscope.view.update({zoom: arguments[0]})", 1 + 2 * place)
        page.settled()
    page.run("dispatchEvent(new Event('beforeprint'))")
    page.settled()
    assert page.run("return window.pwned === undefined")
    assert page.complaints() == []
    assert not {"img", "iframe", "object"} & elements(page)
    assert page.run("return document.querySelectorAll('script').length") == 1
    assert page.run("return document.querySelectorAll('[onerror], [onload]').length") == 0


def test_hostile_names_are_shown_escaped(page: Any) -> None:
    names = page.column(3)
    assert len(names) == len(HOSTILE)
    for name in ("<img src=x onerror=window.pwned=1>", "__proto__", "constructor", "[unknown]"):
        assert name in names
    text = page.run("return document.body.textContent")
    assert not set("\u202e\u2028\u2029\x00\x1b") & set(text)
    assert max(map(len, names)) < 4200


@pytest.mark.parametrize("query", ["__proto__", "constructor", "</script>", "`${"])
def test_search_treats_hostile_text_literally(page: Any, query: str) -> None:
    assert page.search(query).startswith("6.67 % matched")
    assert page.complaints() == []


def test_a_catastrophic_name_does_not_become_a_pattern(page: Any) -> None:
    assert page.search("(a+)+$").startswith("0 % matched")

"""Our chains compared with those of elfutils in live programs at random instructions."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.record_targets import redis_under_load
from tests.unwind.conftest import CHAINS
from tests.unwind.explained import difference_text, unexplained
from tests.unwind.targets import TARGETS, Target, need

pytestmark = [pytest.mark.live, pytest.mark.long]
Document = dict[str, Any]
LEAST_EQUAL = 0.99


def equal_chains(document: Document) -> int:
    """Return the share of equal chains, within the copy and ignoring addresses outside code.

    And those that go on in a landing pad as elfutils' do, once the thread is there.
    """
    kinds = (
        "equal",
        "equal_once_landed",
        "equal_to_the_copys_end",
        "equal_but_for_a_stray_word",
    )
    return sum(document[kind] for kind in kinds)


def check(
    document: Document, whole: float, least_equal: float = LEAST_EQUAL, chains_asked: int = CHAINS
) -> None:
    """Checks that apply to every program."""
    chains = document["chains"]
    assert chains >= 0.95 * chains_asked
    different = sum(difference["chains"] for difference in document["differences"])
    equal = equal_chains(document)
    assert equal + different == chains
    assert unexplained(document) == []
    assert equal >= least_equal * chains, [
        difference_text(difference) for difference in document["differences"]
    ]
    assert document["our_ends"].get("complete", 0) >= whole * chains, document["our_ends"]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_chains_agree_with_elfutils(
    target: Target, compare: Callable[..., Document], tmp_path: Path
) -> None:
    running = target.prepare(tmp_path)
    document = compare(target.name, "--input", str(running.stdin), "--", *running.command)
    check(document, target.whole, target.equal)
    assert document["distinct_leaves"] >= 30, "many different instructions"


def test_chains_of_a_server_under_load_agree_with_elfutils(
    compare: Callable[..., Document], tmp_path: Path
) -> None:
    need("redis-server")
    with redis_under_load(tmp_path) as server:
        document = compare("redis", "--pid", str(server.pid))
    check(document, whole=0.97)


def test_chains_of_exceptions_about_to_land_continue_at_the_landing_pad(
    compare: Callable[..., Document], tmp_path: Path
) -> None:
    target = next(target for target in TARGETS if target.name == "landings")
    running = target.prepare(tmp_path)
    chains = 2000  # about 20 of them are about to land
    document = compare("many_landings", "--", *running.command, chains=chains)
    check(document, whole=target.whole, chains_asked=chains)
    assert document["equal_once_landed"] > 0


def test_chains_of_a_short_copy_are_prefixes(
    compare: Callable[..., Document], tmp_path: Path
) -> None:
    target = next(target for target in TARGETS if target.name == "compiler")
    running = target.prepare(tmp_path)
    document = compare("short_copies", "--stack-bytes", "1024", "--", *running.command)
    check(document, whole=0)
    assert document["equal_to_the_copys_end"] > 0.5 * document["chains"]
    assert set(document["our_ends"]) <= {"complete", "cut_by_copy"}, document


def test_all_chains_together(documents: list[Document]) -> None:
    """Sums over the programs above."""
    chains = sum(document["chains"] for document in documents)
    assert sum(map(equal_chains, documents)) >= LEAST_EQUAL * chains

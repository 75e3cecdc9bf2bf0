"""Settings of --setting: names, options of `stallscope pin`, refusals."""

from collections.abc import Callable

import pytest

from harness.cstates.compare.settings import named_settings
from stallscope.errors import UsageError
from stallscope.system_files import Roots

Machines = Callable[[str], Roots]
MACHINE = "haltpoll-vm"


def test_the_baseline_and_its_control_come_before_the_named_settings(machine: Machines) -> None:
    chosen = named_settings(machine(MACHINE), ["polite=--nice 5", "fixed=--aslr off"], "0").chosen
    assert [candidate.name for candidate in chosen[2:]] == ["polite", "fixed"]
    assert chosen[0].request == chosen[1].request
    assert (chosen[2].request.nice, chosen[3].request.aslr_off) == (5, True)
    assert all(candidate.request.cpus == "0" for candidate in chosen)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["--nice 5"], "is not NAME=OPTIONS"),
        (["=--nice 5"], "is not NAME=OPTIONS"),
        (["a=--nise 5"], "--setting a: No such option"),
        (["a=--aslr 'off"], "--setting a: No closing quotation"),
        (["a=--nice 5", "a=--nice 6"], "occurs twice"),
        (["a=--nice 5 --cpus 1"], "--cpus cannot differ"),
        (["a="], "no setting to pin"),
    ],
)
def test_invalid_settings_are_refused(machine: Machines, texts: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        named_settings(machine(MACHINE), texts, None)

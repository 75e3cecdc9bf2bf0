"""The slot model on real programs under valgrind: known kernels, and a program that fails."""

import shutil

import pytest

from stallscope.errors import TargetError
from stallscope.host import read_host
from stallscope.programs import program
from topdown.slots.measurement import Kind
from topdown.slots.modelled import measure_command

pytestmark = pytest.mark.live


@pytest.fixture(autouse=True)
def needed() -> None:
    for name in ("valgrind", "objdump"):
        if shutil.which(name) is None:
            pytest.skip(f"needs the program {name}")
    if read_host().architecture != "x86_64":
        pytest.skip("needs the program valgrind of x86-64: the model reads its instructions")


def kernel(name: str, iterations: int) -> tuple[str, ...]:
    path = str(program("stallscope-kernels"))
    return path, name, "--iterations", str(iterations), "--json"


def test_a_dependency_chain_differs_from_useful_work_by_its_time(
    capfd: pytest.CaptureFixture[str],
) -> None:
    message: list[str] = []
    result = measure_command(kernel("dependent-chain", 2_000_000), on_progress=message.append)
    assert result.kind is Kind.MODELLED
    assert result.bottleneck == ("backend_bound", "core_dependency")
    assert all(node.value is not None and -1e-9 <= node.value <= 1 for node in result.nodes)
    assert sum(node.value or 0 for node in result.nodes if node.level == 1) == pytest.approx(1)
    assert capfd.readouterr().out.count('"kernel"') == 1  # the program's output is passed on once
    assert any("times slower" in text for text in message)


def test_a_native_failure_is_a_target_error() -> None:
    with pytest.raises(TargetError, match="returned status 3"):
        measure_command(("sh", "-c", "exit 3"), silent=True)

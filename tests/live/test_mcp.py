"""A scripted client of `stallscope mcp` over stdio: from a pid to function and line in two calls."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from harness.cli.brief import LARGEST_BRIEF_BYTES
from tests.documents import assert_valid

# Program without set-up, its function, and the file with its hottest line.
PROGRAMS = (
    ("dependent-chain", "dependent", "dependency_chains.cpp"),
    ("multiply-chain", "multipl", "held_out.cpp"),
)

pytestmark = pytest.mark.live


async def document(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    """Return the brief document that answers a call."""
    answer = await client.call_tool(tool, arguments)
    (content,) = answer.content
    assert not answer.is_error, content
    assert len(content.text.encode()) < LARGEST_BRIEF_BYTES
    assert_valid("brief", content.text)
    assert answer.structured_content == json.loads(content.text)
    result: dict[str, Any] = answer.structured_content["result"]
    return result


async def hottest_line(client: Client, pid: int) -> tuple[str, str]:
    """Return function and line of a process, after two calls."""
    recorded = await document(client, "record", pid=pid, duration_s=0.5)
    shown = await document(client, "source_lines", recording=recorded["recording"])
    hottest = shown["lines"][0]
    assert hottest["self_samples"] > 0
    return hottest["function"], f"{hottest['file']}:{hottest['line']}"


async def all_lines(kernels: Path, folder: Path) -> list[tuple[str, str]]:
    command = ["-m", "stallscope", "mcp", "--directory", str(folder)]
    server = StdioServerParameters(command=sys.executable, args=command)
    lines = []
    async with Client(server) as client:
        for name, _, _ in PROGRAMS:
            with subprocess.Popen([kernels, name, "--duration", "0"]) as process:
                try:
                    lines.append(await hottest_line(client, process.pid))
                finally:
                    process.terminate()
    return lines


def test_a_client_gets_from_a_pid_to_function_and_line_in_two_calls(
    kernels: Path, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    lines = anyio.run(all_lines, kernels, runs)
    for (name, function, file), (shown, line) in zip(PROGRAMS, lines, strict=True):
        assert function in shown, name
        assert f"/{file}:" in line, name
    assert sorted(path.name.rpartition("-")[2] for path in runs.iterdir()) == ["1", "2"]
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]

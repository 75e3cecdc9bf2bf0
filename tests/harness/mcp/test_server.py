"""Calls that end without a command; the live test makes the others over stdio."""

from pathlib import Path
from typing import Any

import anyio
from mcp import types

from harness.mcp.options import McpOptions
from harness.mcp.recordings import open_recordings
from harness.mcp.server import ToolServer
from harness.mcp.tools import TOOLS
from tests.documents import assert_valid


def called(folder: Path, name: str, **arguments: Any) -> types.CallToolResult:
    async def call() -> types.CallToolResult:
        with open_recordings(folder / "runs") as recordings:
            server = ToolServer(recordings, McpOptions(directory=folder, max_duration_s=10))
            params = types.CallToolRequestParams(name=name, arguments=arguments)
            return await server.call_tool(None, params)

    return anyio.run(call)


def error_of(result: types.CallToolResult) -> str:
    assert result.is_error
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    assert_valid("mcp.error", content.text)
    return str(result.structured_content["message"])


def test_the_tools_have_schemas_and_say_what_they_change(tmp_path: Path) -> None:
    async def tools() -> list[types.Tool]:
        with open_recordings(tmp_path / "runs") as recordings:
            server = ToolServer(recordings, McpOptions(directory=tmp_path))
            return (await server.list_tools(None, None)).tools

    listed = anyio.run(tools)
    assert [tool.name for tool in listed] == list(TOOLS)
    assert all(tool.input_schema["type"] == "object" for tool in listed)
    assert all("required" in tool.input_schema for tool in listed)
    writing = [tool.name for tool in listed if not tool.annotations.read_only_hint]
    assert writing == ["record", "diagnose"]


def test_wrong_calls_are_error_documents(tmp_path: Path) -> None:
    assert "there is no tool 'run\\x1b'" in error_of(called(tmp_path, "run\x1b"))
    assert "11 s" in error_of(called(tmp_path, "record", pid=1, duration_s=11))
    assert "there is no recording x" in error_of(called(tmp_path, "diagnose", recording="x"))
    assert "$.recording" in error_of(called(tmp_path, "diagnose", recording="../x"))

"""The server: lists the tools, and answers a call with the brief document of a command."""

import json
from typing import Any

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from harness.cli.brief import NOTICE
from harness.mcp.command_run import LIMIT_S, has_answer, run_command
from harness.mcp.options import McpOptions
from harness.mcp.recordings import RecordingsDirectory
from harness.mcp.result import ToolError, error_of_command, tool_error
from harness.mcp.tools import (
    TOOLS,
    RecordArguments,
    command_words,
    parse_arguments,
    recordings_of,
)
from stallscope import __version__
from stallscope.documents import encode
from stallscope.errors import ExitCode, StallscopeError, UsageError

INSTRUCTIONS = (
    "stallscope finds out why a Linux process is slow. Call record with a pid, then source_lines "
    "(function, file and line), diagnose (what limits it), top_functions or callers with the name "
    f"of the recording. Answers are JSON documents of at most 8 KiB. {NOTICE}"
)
_CONCURRENT = 2  # commands at a time


class ToolServer:
    """Answers the calls of one client."""

    def __init__(self, directory: RecordingsDirectory, options: McpOptions) -> None:
        self._directory = directory
        self._options = options
        self._limiter = anyio.Semaphore(_CONCURRENT)

    async def list_tools(
        self, _context: object, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Return the tools with the schemas of their arguments."""
        tools = [
            types.Tool(
                name=tool.name,
                description=tool.description,
                input_schema=tool.input_schema(),
                annotations=types.ToolAnnotations(
                    # record writes a recording, and diagnose a page.
                    read_only_hint=tool.name not in ("record", "diagnose"),
                    destructive_hint=False,
                    open_world_hint=False,
                ),
            )
            for tool in TOOLS.values()
        ]
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        self, _context: object, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Return the document that answers a call, or an error document."""
        try:
            return await self._answer(params.name, params.arguments or {})
        except StallscopeError as error:
            return _failure(tool_error(error.message, error.remedy, int(error.exit_code)))

    async def _answer(self, name: str, values: dict[str, Any]) -> types.CallToolResult:
        tool = TOOLS.get(name)
        if tool is None:
            raise UsageError(f"there is no tool {name!r}", f"tools: {', '.join(TOOLS)}")
        arguments = parse_arguments(tool, values)
        new_name, limit_s = "", LIMIT_S
        async with self._limiter:
            if isinstance(arguments, RecordArguments):
                self._check_duration(arguments.duration_s)
                new_name = self._directory.new_name(arguments.pid, arguments.name)
                limit_s += arguments.duration_s
            for recording in recordings_of(arguments):
                self._directory.check_recording(recording)
            words = command_words(arguments, name, new_name)
            ended = await run_command(words, self._directory.path, limit_s)
        if ended.code is None:
            message = f"{name} took more than {limit_s:g} s and was ended"
            return _failure(tool_error(message, "record for a shorter time", ExitCode.UNABLE))
        if not has_answer(ended):
            return _failure(error_of_command(ended.errors, ended.code))
        return _result(ended.output.decode(), is_error=False)

    def _check_duration(self, duration_s: float) -> None:
        longest_s = self._options.max_duration_s
        if duration_s > longest_s:
            raise UsageError(
                f"a recording may take {longest_s:g} s here, not {duration_s:g} s",
                "record for a shorter time, or start the server with --max-duration",
            )


def _result(text: str, *, is_error: bool) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text.rstrip("\n"))],
        structured_content=json.loads(text),
        is_error=is_error,
    )


def _failure(error: ToolError) -> types.CallToolResult:
    return _result(encode(error), is_error=True)


async def serve(directory: RecordingsDirectory, options: McpOptions) -> None:
    """Serve one client over stdin and stdout."""
    tools = ToolServer(directory, options)
    server = Server(
        "stallscope",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=tools.list_tools,
        on_call_tool=tools.call_tool,
    )
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())

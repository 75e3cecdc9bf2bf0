"""A run of `stallscope mcp`: serves one client over stdin and stdout until it closes them."""

from importlib.util import find_spec

from harness.mcp.options import McpOptions
from harness.mcp.recordings import open_recordings
from stallscope.errors import ExitCode, UnableError


def run_mcp(options: McpOptions) -> int:
    """Return the exit code after the client has closed the connection.

    Raises UnableError without the SDK.
    """
    if find_spec("mcp") is None:
        raise UnableError(
            "the SDK of the Model Context Protocol is not installed",
            "pip install 'stallscope[mcp]'",
        )
    import anyio  # noqa: PLC0415 - only with the extra

    from harness.mcp.server import serve  # noqa: PLC0415

    with open_recordings(options.directory) as directory:
        anyio.run(serve, directory, options)
    return int(ExitCode.DONE)

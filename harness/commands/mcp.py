"""`stallscope mcp`: a server of the Model Context Protocol for agents."""

from pathlib import Path

import click

from harness.cli.number_options import SecondsRange

EXAMPLES = """\b
Examples:
  stallscope mcp --directory /var/tmp/recordings

\b
Entry in a client's configuration:
  {"command": "stallscope", "args": ["mcp", "--directory", "/var/tmp/recordings"]}
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="Directory of all recordings, read and written; created if it does not exist. Only this "
    "user may write to it.",
)
@click.option(
    "--max-duration",
    "max_duration_s",
    type=SecondsRange(0.1, 3600),
    default=60,
    show_default=True,
    metavar="S",
    help="Longest recording that a client may request, in seconds.",
)
def command(directory: Path, max_duration_s: float) -> int:
    """Serve recordings and analyses to an agent over stdio (Model Context Protocol).

    Tools: record, diagnose, top_functions, callers, source_lines, diff. They answer with the brief
    documents that --brief prints. No tool starts a command or changes a setting, and record writes
    only below DIR. Needs the extra mcp: pip install 'stallscope[mcp]'.
    """
    from harness.mcp.options import McpOptions  # noqa: PLC0415 - start-up stays light
    from harness.mcp.session import run_mcp  # noqa: PLC0415

    return run_mcp(McpOptions(directory=directory, max_duration_s=max_duration_s))

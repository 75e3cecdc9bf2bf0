"""The answer to a call that failed. Other answers are the brief documents of the commands."""

from harness.cli.brief import NOTICE, quoted
from stallscope.documents import Count, Document

_LONGEST_TEXT = 2000


class ToolError(Document, frozen=True, kw_only=True, tag="stallscope.mcp.error/1"):
    """Why a call failed, and what helps."""

    notice: str
    exit_code: Count
    message: str
    remedy: str


def tool_error(message: str, remedy: str, exit_code: int) -> ToolError:
    """Return the error with escaped control characters and bounded texts."""
    return ToolError(
        notice=NOTICE,
        exit_code=exit_code,
        message=quoted(message, _LONGEST_TEXT),
        remedy=quoted(remedy, _LONGEST_TEXT),
    )


def error_of_command(error_output: str, exit_code: int) -> ToolError:
    """Return the error that a command of stallscope printed."""
    lines = error_output.splitlines()
    message = next((line for line in reversed(lines) if "error: " in line), "")
    remedy = next((line for line in reversed(lines) if line.startswith("  remedy: ")), "")
    return tool_error(
        message.partition("error: ")[2] or f"the command ended with status {exit_code}",
        remedy.partition("remedy: ")[2],
        exit_code,
    )

"""A command of stallscope that answers one call, as a process with bounds."""

import subprocess
import sys
from contextlib import suppress

import anyio
from anyio.abc import ByteReceiveStream, Process
from msgspec import Struct

from harness.cli.brief import LARGEST_BRIEF_BYTES
from stallscope.errors import ExitCode

LIMIT_S = 120.0  # beyond the duration of a recording
_END_S = 12.0  # a recording ends within 10 s of SIGTERM
_LARGEST_ERRORS = 64 * 1024


class CommandOutput(Struct, frozen=True):
    """What a command printed; ``code`` is None if it reached its time limit."""

    code: int | None
    output: bytes
    errors: str


async def run_command(words: list[str], folder: str, limit_s: float) -> CommandOutput:
    """Return the output of a command of stallscope that runs in a folder.

    It ends if the call is cancelled or the limit reached. ``-P`` keeps modules of the folder from
    being imported.
    """
    process = await anyio.open_process(
        [sys.executable, "-P", "-m", "stallscope", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    output, errors = bytearray(), bytearray()
    try:
        with anyio.move_on_after(limit_s) as limit:
            async with anyio.create_task_group() as readers:
                readers.start_soon(_read, process.stdout, output, 2 * LARGEST_BRIEF_BYTES)
                readers.start_soon(_read, process.stderr, errors, _LARGEST_ERRORS)
            await process.wait()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
    code = None if limit.cancelled_caught else process.returncode
    return CommandOutput(code, bytes(output), errors.decode("utf-8", "replace"))


def has_answer(ended: CommandOutput) -> bool:
    """Return whether the command printed a document: also if a finding or the target failed."""
    codes = (ExitCode.DONE, ExitCode.FINDING, ExitCode.TARGET_FAILED)
    complete = len(ended.output) <= LARGEST_BRIEF_BYTES and ended.output.startswith(b"{")
    return ended.code in codes and complete


async def _read(stream: ByteReceiveStream, content: bytearray, largest: int) -> None:
    """Append what a process writes; the rest beyond the limit is read and discarded."""
    async for chunk in stream:
        content += chunk[: max(0, largest - len(content))]


async def _end(process: Process) -> None:
    """End the process if it still runs, and wait for it."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.terminate()
        with anyio.move_on_after(_END_S):
            await process.wait()
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    await process.aclose()

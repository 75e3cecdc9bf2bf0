"""Mapped files of a process."""

from topdown.stacks.unwinding.tables import UnwindTables


def messages(tables: UnwindTables) -> list[str]:
    return [warning.message for warning in tables.warnings]

"""Pins of a machine, from their journals."""

import pytest

from cstates.pinning.status import read_status
from stallscope.errors import UnableError
from tests.cstates.pinning.machines import Fake


def test_an_unreadable_journal_folder_is_an_error(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    assert read_status(machine.roots, machine.run) == ()
    machine.run.write_text("a file")
    with pytest.raises(UnableError, match="cannot keep or read journals of pins: Not a directory"):
        read_status(machine.roots, machine.run / "inside")
    with pytest.raises(UnableError, match="cannot keep or read journals of pins"):
        read_status(machine.roots, machine.run)

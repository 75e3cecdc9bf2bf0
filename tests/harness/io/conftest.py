"""Machines with disks for the commands."""

from tests.ioprobe.conftest import machine

__all__ = ["machine"]

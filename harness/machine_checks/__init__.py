"""Checks of what this machine and this user can measure."""

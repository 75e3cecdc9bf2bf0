"""Runs of one command under several settings, compared."""

"""Recordings that commands write: directory, manifest, settings, results."""

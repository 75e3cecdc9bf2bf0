"""Recordings of many hosts."""

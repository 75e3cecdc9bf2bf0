"""Counting of slots: event groups, windows of counts, and estimates with intervals."""

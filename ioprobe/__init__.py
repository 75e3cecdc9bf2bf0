"""Disk measurements: targets, the load engine, response curves, queues and block requests."""

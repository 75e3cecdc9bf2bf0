"""Runs of the disk engine `stallscope-ioqueue`: plans, events and results."""

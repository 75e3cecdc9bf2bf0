"""Experiments of `stallscope lab`: each an engine that knows no command line."""

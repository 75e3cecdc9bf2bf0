"""Experiments of `stallscope lab`: one folder per verb."""

"""The rules of `stallscope diagnose`: one file per cause, each with a function ``find``."""

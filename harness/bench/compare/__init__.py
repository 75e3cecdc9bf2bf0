"""`stallscope bench compare`: benchmark results of several files side by side."""

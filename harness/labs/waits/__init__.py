"""`stallscope lab waits`: the diagnosis of programs whose waits are known."""

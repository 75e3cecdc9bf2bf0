"""`stallscope record --flight`: the last seconds before a trigger."""

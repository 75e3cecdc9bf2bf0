"""`stallscope lab diagnose`: the diagnosis of programs whose cause is known."""

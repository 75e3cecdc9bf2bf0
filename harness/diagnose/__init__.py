"""`stallscope diagnose`: one recording, and what limits the target in order of cost."""

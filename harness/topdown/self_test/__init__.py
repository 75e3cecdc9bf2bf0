"""`stallscope topdown --self-test`: whether this CPU counts its events correctly."""

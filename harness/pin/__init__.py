"""How `stallscope pin` shows plans, outcomes and the state of pins."""

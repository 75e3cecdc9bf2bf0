"""`stallscope report`: from a recording to the code that shows its kind."""

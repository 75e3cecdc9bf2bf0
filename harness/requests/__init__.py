"""`stallscope requests`: what slow requests do beside others."""

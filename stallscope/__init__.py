"""What every part of stallscope stands on: errors, quantities, host, recordings, native code."""

__version__ = "0.1.0"

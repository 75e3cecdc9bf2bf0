"""Metrics of a recording, as Prometheus text and OTLP."""

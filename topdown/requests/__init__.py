"""Requests of a program: spans of time on threads, and what slow ones do beside others."""

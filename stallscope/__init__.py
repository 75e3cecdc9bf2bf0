"""The foundation of all packages: errors, quantities, host, documents, recordings, native code."""

__version__ = "0.1.0"

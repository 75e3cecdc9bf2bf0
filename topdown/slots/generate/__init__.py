"""Makes the files in ``topdown/slots/models`` from vendors' tables: docs/topdown-models.md."""

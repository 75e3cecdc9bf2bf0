"""Files of other tools: import and export."""

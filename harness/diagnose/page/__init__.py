"""The page of a diagnosis: verdict, findings, and all panels with one timeline."""

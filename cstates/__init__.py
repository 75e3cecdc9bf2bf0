"""What sleeping and changing frequency costs."""

"""What an earlier process has derived from the same model, found again instead of derived again."""

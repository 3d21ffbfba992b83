"""Numbers from matrices, whatever their rank."""

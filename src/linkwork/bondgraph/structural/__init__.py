"""What a graph's structure says whatever the numbers are: controllability and observability."""

"""What is given over time: what drives the inputs of a run, and when it jumps or bends."""

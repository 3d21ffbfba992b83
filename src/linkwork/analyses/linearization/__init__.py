"""Small motions next to a state: state space, modes, what is excited and seen."""

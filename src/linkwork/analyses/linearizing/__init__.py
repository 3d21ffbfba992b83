"""Rest, small motions next to a state, and how they change with a parameter."""

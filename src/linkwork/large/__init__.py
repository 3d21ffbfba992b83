"""Large models: kernels per type of component, run in loops over instances, and a static sparse factorisation."""

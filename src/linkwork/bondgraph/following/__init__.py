"""Zero-order causal paths: where they run, which class they are, what opens them."""

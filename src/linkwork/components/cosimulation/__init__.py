"""Functional Mock-up Units of others as components: what their files say."""

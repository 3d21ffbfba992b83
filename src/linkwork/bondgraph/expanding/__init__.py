"""From vector bonds to scalar ones."""

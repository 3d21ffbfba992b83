"""The nouns and contracts every other layer speaks: component, model, equations, program, result, errors."""

import time

BEGUN = time.time_ns()
"""When the first file of this package was read [ns]."""

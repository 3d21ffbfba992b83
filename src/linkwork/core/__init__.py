"""The nouns and contracts every other layer speaks: component, model, equations, program, result, errors."""

"""The language of expressions in model files: what may stand there, how it is read, and how expressions are written.

Nothing of it is executed as Python: a text becomes a tree, and the tree is worth numbers, symbols and parts of a model.
"""

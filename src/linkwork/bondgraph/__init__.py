"""Bond graphs: elements, bonds, causality, causal paths, equations read off the graph. Usable without any mechanism.

Power flows along a bond towards its half arrow: effort × flow is positive then. The causal stroke marks the end that
receives the effort (and answers with the flow).
"""

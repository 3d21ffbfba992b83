"""BND's tables 1 and 5 as ours: pendulum and slider-crank in every formulation, times and deviations in one run.

    python benchmarks/formulations.py [figure.svg]

Time is the least of five runs, compilation apart. The deviation is the largest difference from `minimal` of the speed
the paper looks at (tip of the pendulum, piston of the slider-crank). Compliant joints have the paper's stiffness and
damping, 10⁶ N/m (pendulum) or 10⁷ N/m (slider-crank) and 200 N·s/m.
"""

from __future__ import annotations

import sys

import numpy as np
from machine import describe

import linkwork as lw
from linkwork.examples import pendulum, slider_crank_spatial

CASES = {
    "pendulum (table 1)": (pendulum.model, 10.0, "tip.vx", 1e6),
    "slider-crank, isostatic (table 5)": (lambda: slider_crank_spatial.model(redundant=False), 5.0, "piston.vx", 1e7),
    "slider-crank, over-constrained": (lambda: slider_crank_spatial.model(redundant=True), 5.0, "piston.vx", 1e7),
}
FORMULATIONS = ("minimal", "absolute", "points", "compliant")


def main() -> None:
    print(describe())
    columns = ("mechanism", "formulation", "solver", "states", "steps", "run [ms]", "deviation [m/s]")
    print("{:<36}{:<12}{:<8}{:>7}{:>7}{:>10}{:>17}".format(*columns))
    for name, (build, duration, channel, stiffness) in CASES.items():
        model, reference = build(), None
        for formulation in FORMULATIONS:
            soft = lw.Compliance(stiffness=stiffness, damping=200)
            runs = [
                model.simulate(duration, formulation=formulation, compliance=soft, rtol=1e-9, atol=1e-11, output=0.01)
                for _ in range(5)
            ]
            r = runs[-1]
            reference = r if reference is None else reference
            apart = np.abs(r[channel] - reference[channel]).max()
            seconds = min(x.record["timings"]["run"] for x in runs)
            states = r.record["degrees"]["coordinates"] + r.record["degrees"]["speeds"]
            steps = r.record["statistics"]["accepted"]
            shown = (name, formulation, r.record["solver"], states, steps, seconds * 1e3, apart)
            print("{:<36}{:<12}{:<8}{:>7}{:>7}{:>10.2f}{:>17.1e}".format(*shown))
    if len(sys.argv) > 1:
        model = slider_crank_spatial.model()
        soft = lw.Compliance(stiffness=1e7, damping=200)
        compared = model.compare(list(FORMULATIONS), 5, compliance=soft, rtol=1e-9, channels="piston.vx", output=0.01)
        compared.plot("piston.vx", log=True, file=sys.argv[1])


if __name__ == "__main__":
    main()

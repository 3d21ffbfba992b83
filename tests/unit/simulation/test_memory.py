"""Memory does not grow with the number of models, starts and runs.

What a process holds is read from /proc (resident pages), in a process of its own, after a collection of garbage. The
first part of the runs fills pools and caches of bounded size; what counts is the growth over the rest.
"""

import subprocess
import sys

import pytest

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

MEASURE = """
import gc, sys
import casadi as ca, numpy as np
import linkwork as lw

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def growth(step, first, count):
    "Bytes per repetition, over `count` of them after the first ones."
    for i in range(first):
        step(i)
    before = resident()
    for i in range(count):
        step(first + i)
    print((resident() - before) / count)
"""

FUNCTIONS = """
from linkwork.compile.native import compile_function
x = ca.SX.sym("x", 30)
f = ca.Function("f", [x], [ca.sin(x) * ca.sqrt(ca.dot(x, x))])
growth(lambda i: compile_function(f), 200, 800)
"""

MODELS = """
def model():
    m = lw.Model("pendulum")
    m.revolute("O", m.ground.at(0, 0), m.body("b", mass=1, inertia=0.1).at(-1, 0)).angle.start(0.3)
    return m

def rebuilt(i):
    m = model()
    m["O"].angle.start(0.3 + 1e-6 * i)
    assert np.isfinite(m.simulate(0.1).final["O.angle"])

kept = model()
def restarted(i):
    kept["O"].angle.start(0.3 + 1e-6 * i)
    assert np.isfinite(kept.simulate(0.1).final["O.angle"])

growth({step}, {first}, {count})
"""


def bytes_each(script, timeout):
    done = subprocess.run([sys.executable, "-c", MEASURE + script], capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


@linux
def test_loaded_code_is_given_back():
    assert bytes_each(FUNCTIONS, 120) < 1000  # 10,400 before loaders were given back


@linux
@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "first", "count"),
    [("rebuilt", 1000, 10_000), ("restarted", 4000, 4000)],  # the latter fills pools for some 3,000 runs
    ids=["rebuilt models", "changed starts"],
)
def test_models_are_given_back(step, first, count):
    each = bytes_each(MODELS.format(step=step, first=first, count=count), 3600)
    print(f"{each:.0f} bytes for each of {count} {step}")
    assert each < 300

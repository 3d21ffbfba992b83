"""Whether an installed Linkwork is whole: `python tests/wheel.py`, in an environment that has nothing but the wheel."""

from __future__ import annotations

import math
import shutil
from importlib.resources import files
from pathlib import Path

import linkwork as lw
from linkwork.compile import _machine_code
from linkwork.integrate.native import _native

DATA = (
    "py.typed",
    "core/face.pyi",
    "studio/page.html",
    "studio/player/player.js",
    "integrate/native/batch.h",
    "export/fmi/runtime/instance.h",
)


def period(amplitude: float) -> float:
    """Of a point on a massless rod of 1 m, by the arithmetic-geometric mean [s]."""
    a, b = 1.0, math.cos(amplitude / 2)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return 2 * math.pi / math.sqrt(9.81) / a


def main() -> None:
    home = Path(str(files("linkwork")))
    assert "site-packages" in home.parts, f"this is not an installed one: {home}"
    missing = [name for name in DATA if not (home / name).is_file()]
    assert not missing, f"not in the wheel: {missing}"

    m = lw.Model("pendulum", gravity=(0, -9.81))
    bob = m.particle("bob", mass=1)
    m.distance("rod", m.ground.at(0, 0), bob, length=1)
    bob.start(position=(math.sin(1.0), -math.cos(1.0)))
    end = period(1.0)
    for formulation in ("absolute", "minimal"):
        r = m.simulate(end, formulation=formulation)
        miss = math.hypot(r["bob.x"][-1] - math.sin(1.0), r["bob.y"][-1] + math.cos(1.0))
        assert miss < 1e-6, f"{formulation}: {miss:.1e} m away from where it began, after one period"
        print(f"{formulation}: back to {miss:.1e} m after one period; {r.record['solver']}")
    r.plot("bob.x")
    assert len(r.animate().html) > 100_000
    print(f"compiler on the path: {shutil.which('cc') or shutil.which('gcc') or 'none'}")
    print(Path(_native.__file__).name, Path(_machine_code.__file__).name)


if __name__ == "__main__":
    main()

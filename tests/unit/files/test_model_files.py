"""Models in files: what is saved reads back as the same model, to the last bit; errors are told with their place."""

from __future__ import annotations

import json
import pkgutil
import random
import tomllib
from importlib import import_module
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork import examples
from linkwork.core.model import Model
from linkwork.files.language.parser import ExpressionError, parse
from linkwork.files.language.reading import evaluate
from linkwork.files.language.writing import Sheet, Unwritable
from linkwork.files.models import schema
from linkwork.files.models.loading import loads
from linkwork.files.models.saving import content_of
from linkwork.files.models.toml_text import written

from ...contracts.every_component import COMPONENTS, channels, model_with

EXAMPLES = [m.name for m in pkgutil.iter_modules(examples.__path__)]
PENDULUM = """\
linkwork = 1

[model]
name = "pendulum"
gravity = [0, -9.81]

[parameter]
k = {value = 3.0, unit = "N·m/rad"}
mass = {value = 2.0, unit = "kg"}

[component.bar]
type = "body"
mass = "mass"
inertia = 0.1

[component.O]
type = "revolute"
first = "ground.at(0, 0)"
second = "bar.at(-0.5, 0)"

[component.O.free.angle]
start = 0.3
laws = ["Spring(k)", "Effort((t, v) -> 2*sin(t) - 0.1*v)"]
"""


def copied(m: Model) -> Model:
    """The model that a file of it gives."""
    return loads(written(content_of(m)), Path("x.toml"))


def fails(old: str, new: str) -> str:
    """What is said of the pendulum with a change."""
    assert old in PENDULUM
    with pytest.raises(lw.ModelError) as caught:
        loads(PENDULUM.replace(old, new, 1), Path("x.toml"))
    return str(caught.value)


@pytest.mark.parametrize("name", COMPONENTS)
def test_every_component_reads_back(name: str) -> None:
    m = model_with(name)
    twin = copied(m)
    assert written(content_of(twin)) == written(content_of(m))
    assert {n: type(c).__name__ for n, c in twin.components.items()} == {
        n: type(c).__name__ for n, c in m.components.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPONENTS)
def test_every_component_is_the_same_to_the_last_bit(name: str) -> None:
    m = model_with(name)
    twin = copied(m)
    for formulation in ("absolute", "acausal"):
        try:
            expected = channels(m, formulation)
        except lw.LinkworkError as error:
            with pytest.raises(type(error)):
                channels(twin, formulation)
            continue
        np.testing.assert_equal(channels(twin, formulation), expected)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_read_back(name: str, tmp_path: Path) -> None:
    m = import_module(f"linkwork.examples.{name}").model()
    if not isinstance(m, Model):  # bond graphs have files of their own
        m.save(tmp_path / "x.json")
        assert list(lw.load(tmp_path / "x.json").elements) == list(m.elements)
        return
    m.save(tmp_path / "x.toml")
    lw.load(tmp_path / "x.toml").save(tmp_path / "y.toml")
    assert (tmp_path / "x.toml").read_text("utf-8") == (tmp_path / "y.toml").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run_the_same_to_the_last_bit(name: str, tmp_path: Path) -> None:
    module = import_module(f"linkwork.examples.{name}")
    m = module.model()
    m.save(tmp_path / ("x.toml" if isinstance(m, Model) else "x.json"))
    twin = lw.load(next(tmp_path.iterdir()))
    a, b = m.simulate(module.DURATION / 10), twin.simulate(module.DURATION / 10)
    assert [c.name for c in a.channels] == [c.name for c in b.channels]
    for channel in a.channels:
        assert np.array_equal(a[channel.name], b[channel.name], equal_nan=True), channel.name


def test_a_file_written_by_hand_is_the_model_of_a_script() -> None:
    m = lw.Model("pendulum", gravity=(0, -9.81))
    k, mass = m.parameter("k", 3.0, unit="N·m/rad"), m.parameter("mass", 2.0, unit="kg")
    bar = m.body("bar", mass=mass, inertia=0.1)
    O = m.revolute("O", m.ground.at(0, 0), bar.at(-0.5, 0))
    O.angle.law(lw.Spring(k)).law(lw.Effort(lambda t, v: 2 * lw.sin(t) - 0.1 * v)).start(0.3)
    twin = loads(PENDULUM, Path("x.toml"))
    a, b = m.simulate(0.5), twin.simulate(0.5)
    assert np.array_equal(a["O.angle"], b["O.angle"])


def test_what_was_changed_by_hand_is_saved() -> None:
    m = loads(PENDULUM, Path("x.toml"))
    m["bar"].mass = 7.0
    m["O"].angle.laws[0].stiffness = 11.0
    m.parameters["k"] = 5.0
    m.gravity = (0, -1.62)
    twin = copied(m)
    assert (twin["bar"].mass, twin["O"].angle.laws[0].stiffness) == (7.0, 11.0)
    assert (twin.parameters["k"], twin.gravity) == (5.0, (0, -1.62))


def test_inputs_tables_and_submodels_are_saved() -> None:
    m = lw.Model("m", gravity=(0, 0))
    u = m.input("u", 0.5, unit="N")
    table = lw.Table([0, 1, 2], [0, 1, 0], "cubic")

    def part(s: lw.Submodel) -> dict[str, object]:
        body = s.body("mass", mass=s.parameter("m", 2.0), inertia=1)
        s.prismatic("rail", s.at, body.at()).slide.law(lw.Effort(u * table(m.t) + table(2 * m.t + 1)))
        return {"end": body.at(1, 0)}

    m.insert(part, "left", at=m.ground.at(1, 0))
    twin = copied(m)
    assert written(content_of(twin)) == written(content_of(m))
    assert list(twin.submodels) == ["left"] and twin["left"].end.body is twin["left.mass"]
    a, b = (x.simulate(1.0, inputs={"u": lambda t: t**2}) for x in (m, twin))
    assert np.array_equal(a["left.rail.slide"], b["left.rail.slide"])


def test_a_copy_can_be_saved() -> None:
    import copy
    import pickle

    m = loads(PENDULUM, Path("x.toml"))
    text = written(content_of(m))
    assert written(content_of(copy.deepcopy(m))) == text
    n = lw.Model("n", gravity=(0, 0))
    n.spring("s", n.ground.at(), n.body("b", mass=1, inertia=1).at(), length=lambda t: 1 + t)
    with pytest.raises(lw.ModelError, match=r"s: its length .* lost when the model was sent"):
        pickle.loads(pickle.dumps(n)).save("x.toml")


def test_what_no_file_can_hold_is_told_by_component(tmp_path: Path) -> None:
    import math

    m = lw.Model("m", gravity=(0, 0))
    body = m.body("b", mass=1, inertia=1)
    m.force("F", body.at(), lambda t: (math.sin(t), 0))
    with pytest.raises(lw.ModelError, match=r"^F: its vector cannot be written to a file"):
        m.save(tmp_path / "x.toml")
    assert not list(tmp_path.iterdir())

    class Own(lw.Force):
        def loads(self, view):
            return []

    n = lw.Model("n", gravity=(0, 0))
    n.add(Own("mine"))
    with pytest.raises(lw.ModelError, match=r"^mine: is a Own, .*linkwork\.components"):
        n.save(tmp_path / "x.toml")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('type = "revolute"', 'type = "revolut"', r"x.toml:17:8: there is no component named 'revolut'. Did you mean"),
        ("bar.at(-0.5", "baar.at(-0.5", r"x.toml:19:11: there is no name named 'baar'. Did you mean 'bar'"),
        ("inertia = 0.1", "inertias = 0.1", r"x.toml:14:1.*argument of body named 'inertias'. Did you mean 'inertia'"),
        ('mass = "mass"', 'mass = "mass*"', r"x.toml:13:14: it ends too early"),
        ('mass = "mass"', 'mass = "-1"', r"x.toml:13:.*bar: mass -1"),
        ('mass = "mass"', 'mass = "k"', r"x.toml:13:8: bar: mass: is in kg·m\^2·s\^-2, and wanted in kg"),
        ('mass = "mass"', 'mass = "mass + k"', r"puts kg and kg·m\^2·s\^-2 together"),
        ("free.angle", "free.angel", r"x.toml:21.*no free coordinate named 'angel'. Did you mean 'angle'"),
        ("2*sin(t)", "2*sin(s)", r"x.toml:23:.*there is no name named 's'"),
        ("linkwork = 1", "linkwork = 2", r"x.toml:1:12: version 2 of the format"),
        ("[0, -9.81]", "[0, -9.81", r"x.toml: is no TOML"),
        ("Spring(k)", "__import__('os').system('true')", r"x.toml:23:.*there is no name named '__import__'"),
        ("Spring(k)", "bar.__class__", r"there is no part named '__class__'"),
        ("Spring(k)", "shapes.Mesh('../../etc/passwd')", r"lies outside of the folder"),
        ("0.3", "1e999", r"no finite number"),
        ("0.3", "'9**9**9**9**9**9'", r"no finite value"),
        ("0.3", "'" + "(" * 500 + "1" + ")" * 500 + "'", r"more than 60 levels"),
    ],
)  # fmt: skip
def test_errors_say_where_and_what_is_near(old: str, new: str, said: str) -> None:
    import re

    assert re.search(said, fails(old, new)), fails(old, new)


def test_expressions_read_back_as_the_same_operations() -> None:
    """Random expressions of all operations: the same graph, so the same bits."""
    x, y, z = symbols = [ca.SX.sym(n) for n in "xyz"]
    atoms = {s.element_hash(): s.name() for s in symbols}
    unary = [
        ca.sin,
        ca.exp,
        ca.sqrt,
        ca.fabs,
        ca.floor,
        ca.tanh,
        ca.sign,
        lambda a: -a,
        lambda a: 1 / a,
        lambda a: a**2,
    ]
    binary = [ca.fmin, ca.atan2, ca.fmod, lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b,
              lambda a, b: a / b, lambda a, b: a**b,
              lambda a, b: ca.if_else(a < b, a, b), lambda a, b: a**2.5 - (b - 0.1),
              lambda a, b: ca.if_else(ca.logic_and(a <= b, ca.logic_not(a == 1)), 2 * a, -3e-7)]  # fmt: skip

    class Scope:
        def name(self, name: str, quoted: bool) -> ca.SX:
            return dict(zip("xyz", symbols, strict=True))[name]

    for seed in range(150):
        rng = random.Random(seed)
        pool = [x, y, z, ca.SX(rng.uniform(-3, 3)), ca.SX(2)]
        for _ in range(rng.randint(1, 30)):
            f = rng.choice(unary + binary)
            pool.append(f(rng.choice(pool)) if f in unary else f(rng.choice(pool), rng.choice(pool)))
        sheet = Sheet(atoms)
        sheet.prepare(pool[-1:])
        try:
            text = sheet.written(pool[-1])[0]
        except Unwritable:  # a constant that is no finite number
            continue
        back = evaluate(parse("".join(sheet.definitions) + text), Scope(), {}, lambda e: e)  # type: ignore[arg-type]
        a, b = (ca.Function("f", symbols, [e]) for e in (pool[-1], ca.SX(back)))
        for _ in range(5):
            at = [rng.uniform(-2, 2) for _ in range(3)]
            assert np.array_equal(np.array(a(*at)), np.array(b(*at)), equal_nan=True), (seed, text)


@pytest.mark.parametrize(
    "text", ["", "1 +", "a b", "f(", "[1, 2", "1..2", "x.1", "a[b]", "f(a=1, 2)", "a;", "'", "#", "x -> ", "`"]
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)


def test_schema_is_up_to_date_and_holds(tmp_path: Path) -> None:
    published = Path(__file__).parents[3] / "docs" / "model-file.schema.json"
    assert published.read_text("utf-8") == schema.text(), f"run python -m {schema.__name__} docs/model-file.schema.json"
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    rules = jsonschema.Draft202012Validator(json.loads(schema.text()))
    rules.validate(tomllib.loads(PENDULUM))
    assert list(rules.iter_errors(tomllib.loads(PENDULUM.replace("inertia", "inertias"))))


def test_components_of_installed_packages_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    from linkwork.core import registry
    from linkwork.files.models import loading, saving

    class Push(lw.Force):
        def __init__(self, name: str, at: lw.Marker, size: float = 1.0):
            super().__init__(name)
            self.at, self.size = at, size

        def loads(self, view):
            return [lw.Load(self.at, (self.size, 0, 0), (0, 0, 0))]

    point = EntryPoint("push", "nowhere:Push", "linkwork.components")
    monkeypatch.setattr(EntryPoint, "load", lambda self: Push)
    for module in (loading, saving):
        monkeypatch.setattr(module, "entry_points", lambda group: [point])
    monkeypatch.setitem(registry.components, "push", Push)
    m = lw.Model("m", gravity=(0, 0))
    m.add(Push("P", m.body("b", mass=1, inertia=1).at(), 3.0))
    assert copied(m)["P"].size == 3.0

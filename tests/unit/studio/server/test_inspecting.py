"""What the inspector is told."""

from __future__ import annotations


def entry(answer, name):
    return next(one for one in answer["arguments"] if one["name"] == name)


def test_a_component_tells_its_arguments_with_units_and_meaning(pendulum):
    bar = pendulum("component", name="bar")
    mass = entry(bar, "mass")
    assert (bar["kind"], bar["family"]) == ("body", "body") and bar["doc"]
    assert (mass["value"], mass["shown"], mass["unit"], mass["required"]) == (2.0, "2.0", "kg", True) and mass["doc"]
    assert {"name": "bar.x", "unit": "m"} in bar["channels"]
    joint = pendulum("component", name="O")
    assert entry(joint, "free.angle.start")["unit"] == "rad" and entry(joint, "free.angle.laws")["shown"] == "Spring(k)"
    assert entry(joint, "compliance")["value"] is None
    assert entry(pendulum("component", name="k"), "value")["unit"] == "N·m/rad"
    assert entry(pendulum("component", name="model"), "gravity")["value"] == [0, -9.81]
    assert entry(pendulum("component", name="ground"), "shapes")["value"] is None


def test_kinds_know_families_choices_and_what_they_need(ask):
    kinds = {kind["kind"]: kind for kind in ask("kinds")}
    families = {word: kinds[word]["family"] for word in ("body", "revolute", "spring", "tyre", "dc_motor", "gear")}
    assert families == {
        "body": "body",
        "revolute": "joint",
        "spring": "force",
        "tyre": "contact",
        "dc_motor": "network",
        "gear": "constraint",
    }
    assert entry(kinds["rod"], "axis")["choices"] == ["x", "y", "z"]
    assert "ground" not in kinds


def test_sliders_have_a_range_around_the_value(pendulum):
    assert pendulum("parameters") == [{"name": "k", "value": 3.0, "unit": "N·m/rad", "low": 0.0, "high": 6.0}]


def test_every_formulation_and_solver_that_is_offered_exists(pendulum):
    from linkwork.formulations import formulations
    from linkwork.integrate.registry import solvers

    assert {f["name"] for f in pendulum("formulations")} - {"auto"} <= set(formulations)
    assert {s["name"] for s in pendulum("solvers")} - {"auto"} == set(solvers)


def test_the_tree_knows_parents_bodies_and_laws(pendulum):
    pendulum("add", kind="spring", name="S", arguments={"a": "ground.at(1, 0)", "b": "bar", "stiffness": 10})
    tree = {c["name"]: c for c in pendulum("state")["components"]}
    assert tree["O"]["bodies"] == ["ground", "bar"] and tree["S"]["bodies"] == ["ground", "bar"]
    assert (tree["O.angle[0]"]["family"], tree["O.angle[0]"]["parent"]) == ("law", "O")
    assert tree["O.angle[0]"]["shown"] == "Spring(k)" and tree["k"]["family"] == "parameter"

"""Random networks, as models and as bond graphs, against a nodal solution in exact arithmetic."""

import numpy as np
import pytest

from .network_models import by_assembly, by_graph, by_model, by_parameters, deviation, sample

DECADES = 12
"""Resistances, conductances, capacities and inductances span so many."""
AGREE = 1e-9
"""Of the largest potential, or of the largest current at the nodes of a branch."""
DOMAINS = ("electric", "hydraulic", "thermal")


def disagreements(domain, seed, count, ways, **options):
    """(number, way, deviation or error) of all networks that are not solved right."""
    rng, found = np.random.default_rng(seed), []
    for number in range(count):
        net = sample(rng, domain, **options)
        for way in ways:
            try:
                off = deviation(net, way(net))
            except Exception as error:  # a refusal is as wrong as a wrong number
                found.append((number, way.__name__, error))
                continue
            if not off < AGREE:
                found.append((number, way.__name__, off))
    return found


@pytest.mark.ci
@pytest.mark.parametrize("domain", DOMAINS)
def test_both_ways_agree_with_the_nodal_solution(domain):
    assert not disagreements(domain, 1, 18, (by_model, by_graph), decades=DECADES)


@pytest.mark.ci
@pytest.mark.parametrize("domain", DOMAINS)
def test_values_that_are_parameters_change_nothing(domain):
    assert not disagreements(domain, 3, 12, (by_parameters,), decades=DECADES)


def test_diodes_lead_or_block_as_signs_say():
    assert not disagreements("electric", 2, 6, (by_assembly,), decades=6, kinds="RRRRRVID")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize("domain", DOMAINS)
def test_ten_thousand_networks(domain, seed):
    """33 of each domain and seed: 9,900; and 100 with diodes below."""
    assert not disagreements(domain, 100 + seed, 33, (by_model, by_graph), decades=DECADES)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_hundred_networks_with_diodes(seed):
    assert not disagreements("electric", 300 + seed, 10, (by_assembly,), decades=6, kinds="RRRRRVID")

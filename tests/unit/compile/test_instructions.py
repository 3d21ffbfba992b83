"""Passes over instructions, in C, against the same written plainly."""

import casadi as ca
import numpy as np
import pytest

from linkwork.compile._machine_code import first_alike, places, values_read
from linkwork.compile.stream import COMMUTATIVE, CONST, INPUT, OUTPUT, asked_atoms, stream_of, without_repetition

COUNT = 300
CODES = (ca.OP_ADD, ca.OP_SUB, ca.OP_MUL, ca.OP_SIN)


def random_instructions(seed):
    """Operations on few inputs, so that many compute the same."""
    random = np.random.default_rng(seed)
    op, x, y = np.zeros(COUNT, dtype=np.int64), np.full(COUNT, -1), np.full(COUNT, -1)
    first, second = random.integers(0, 2, (2, COUNT))
    for k in range(COUNT):
        op[k] = random.choice((INPUT, CONST)) if k < 6 else random.choice((*CODES, OUTPUT))
        if k >= 6:
            near = max(0, k - 12)
            x[k] = random.integers(near, k)
            y[k] = random.integers(near, k) if op[k] not in (ca.OP_SIN, OUTPUT) else -1
    return op, x, y, first, second


@pytest.mark.parametrize("seed", range(5))
def test_the_first_that_computes_the_same(seed):
    op, x, y, first, second = random_instructions(seed)
    known, same = {}, []
    for k, code in enumerate(op.tolist()):
        if code == OUTPUT:
            same.append(k)
            continue
        if code in (INPUT, CONST):
            key = code, first[k], second[k]
        else:
            operands = [same[z] if z >= 0 else -1 for z in (x[k], y[k])]
            key = code, *(sorted(operands) if code in COMMUTATIVE else operands)
        same.append(known.setdefault(key, k))
    assert without_repetition(op, x, y, first, second).tolist() == same
    assert len(set(same)) < COUNT


@pytest.mark.parametrize("seed", range(5))
def test_no_place_is_taken_twice(seed):
    random = np.random.default_rng(seed)
    last = np.arange(COUNT) + random.integers(0, 20, COUNT)
    last = np.minimum(last, COUNT - 1)
    needs = (random.uniform(size=COUNT) < 0.8).astype(np.uint8)
    place = np.zeros(COUNT, dtype=np.int64)
    used = places(last, needs, place)
    held = {}
    for k in range(COUNT):
        held = {where: value for where, value in held.items() if last[value] > k}
        if needs[k]:
            assert place[k] not in held
            held[place[k]] = k
        assert len(held) <= used
    assert used == place[needs == 1].max() + 1


def test_what_is_read_is_what_was_written_last():
    x = ca.SX.sym("x", 4)
    f = ca.Function("f", [x], [ca.sin(x[0]) * x[1] + ca.cos(x[2] * x[3]) - x[0], x[1] - x[2]])
    stream = stream_of(f)
    values: list[float] = []
    given, found = [0.3, -2.0, 5.0, 0.7], [np.zeros(1), np.zeros(1)]
    for k in range(len(stream)):
        op, a, b = int(stream.op[k]), int(stream.in0[k]), int(stream.in1[k])
        if op == OUTPUT:
            found[int(stream.out[k])][b] = values[a]
        two = {ca.OP_ADD: np.add, ca.OP_SUB: np.subtract, ca.OP_MUL: np.multiply}
        one = {ca.OP_SIN: np.sin, ca.OP_COS: np.cos}
        number = np.nan
        if op == INPUT:
            number = given[b]
        elif op in one:
            number = one[op](values[a])
        elif op in two:
            number = two[op](values[a], values[b])
        values.append(number)
    assert [r[0] for r in found] == pytest.approx([float(r) for r in f.call([ca.DM(given)])], abs=1e-15)


def test_nonsense_is_an_error():
    a = np.array([0, 5], dtype=np.int64)
    with pytest.raises(ValueError, match="comes after it"):
        first_alike(np.full(2, ca.OP_ADD), a, a, np.full(2, 2, dtype=np.uint8), np.zeros(2, dtype=np.int64))
    with pytest.raises(ValueError, match="before it is there"):
        places(np.array([0, 9]), np.ones(2, dtype=np.uint8), np.zeros(2, dtype=np.int64))
    f = ca.Function("f", [x := ca.SX.sym("x")], [x + 1])
    atoms = asked_atoms(f)
    atoms[:, 2] = 77
    arity = np.full(200, 1, dtype=np.int8)
    with pytest.raises(ValueError, match="never written"):
        values_read(atoms, arity, OUTPUT, 3, *np.full((2, len(atoms)), -1))

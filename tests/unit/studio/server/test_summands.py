"""Whole summands around marked symbols."""

from __future__ import annotations

import pytest

from linkwork.studio.server.summands import with_summands

X = r"\textcolor{m}{x}"


def shown(text: str) -> str:
    """The formula with angle brackets around its summands."""
    marked = with_summands(text.replace("X", X), r"\textcolor{m}", "s")
    while r"\textcolor{s}{" in marked:
        begin = marked.index(r"\textcolor{s}{")
        depth, end = 0, begin + len(r"\textcolor{s}")
        while True:
            depth += {"{": 1, "}": -1}.get(marked[end], 0)
            end += 1
            if not depth:
                break
        inside = marked[begin + len(r"\textcolor{s}{") : end - 1]
        marked = f"{marked[:begin]}⟨{inside}⟩{marked[end:]}"
    return marked.replace(X, "X")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("= a + 2 X - b", "= a + ⟨2 X⟩ - b"),
        ("= - 2 X", "= - ⟨2 X⟩"),
        ("= a + b", "= a + b"),
        (r"\qquad + k X^{2} - 10^{-3} a", r"\qquad + ⟨k X^{2}⟩ - 10^{-3} a"),
        (r"= m \left(a + b X\right) + c", r"= m \left(a + ⟨b X⟩\right) + c"),
        (r"= X \left(a + b X\right) + c", r"= ⟨X \left(a + b X\right)⟩ + c"),
        (r"= \cos\left(a + X\right) + c", r"= ⟨\cos\left(a + X\right)⟩ + c"),
        (r"= \sin^{2}\left(a + X\right) + c", r"= ⟨\sin^{2}\left(a + X\right)⟩ + c"),
        (r"= \left(a + X\right)^{2} + c", r"= ⟨\left(a + X\right)^{2}⟩ + c"),
        (r"= \frac{a + X}{b + c} + d", r"= \frac{a + ⟨X⟩}{b + c} + d"),
        (r"= \frac{a}{b + X} + d", r"= ⟨\frac{a}{b + X}⟩ + d"),
        (r"\begin{pmatrix} a & b + X \\ X & c \end{pmatrix}", r"\begin{pmatrix} a & b + ⟨X⟩ \\ ⟨X⟩ & c \end{pmatrix}"),
        (r"= 2 \bigl( a + b X", r"= 2 \bigl( a + ⟨b X⟩"),  # it goes on in the next line
        (r"+ b X \bigr) + c", r"+ ⟨b X \bigr)⟩ + c"),
        (r"= k_{\text{a+(b}} X - c && \text{(B, x-y)}", r"= ⟨k_{\text{a+(b}} X⟩ - c && \text{(B, x-y)}"),
    ],
)  # fmt: skip
def test_the_smallest_summand_that_holds_a_symbol_is_marked(text, expected):
    assert shown(text) == expected

"""Leaves, for the tests of many rooms."""

import minigrad as mg


def leaf(values, **options):
    return mg.Tensor(values, requires_grad=True, **options)

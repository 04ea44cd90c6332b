"""Hypothesis, for tests of a property; where it is missing, these alone are skipped, and say so."""

from unittest.mock import MagicMock

import pytest

try:
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st
    from hypothesis.extra import numpy as arrays_of

    settings.register_profile("slow machines", deadline=None)
    settings.load_profile("slow machines")
except ImportError:
    HealthCheck = st = arrays_of = MagicMock()
    given = lambda *_, **__: pytest.mark.skip(reason="needs hypothesis")
    settings = lambda *_, **__: lambda test: test

__all__ = ["HealthCheck", "arrays_of", "given", "settings", "st"]

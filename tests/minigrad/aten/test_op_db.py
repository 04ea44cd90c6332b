"""The table beside PyTorch's own database of functions: how many names agree, and why others do not."""

import collections
import itertools
import re
import sys
import types
import unittest
import warnings
from pathlib import Path

import pytest

import minigrad as mg

torch = pytest.importorskip("torch")

ROOT = Path(__file__).parents[3]
AT_LEAST = 365  # of 481; complex, sparse and FFT are left out
ALLOWED = 1e-6

# Why a name does not count: the first of these that is found in what its first bad sample gave.
REASONS = {
    "complex numbers, or a transform to them": "complex|fft|stft|holds real numbers",
    "no row": "it has no row",
    "a row that does not take these options": "its row cannot do it|cannot be taken",
    "gradients of gradients": "create_graph|torch.func",
    "another value": r"^aten\.",
    "another gradient": "^the gradient",
    "written by other means": "came from elsewhere|gives a constant",
}


def outcome(op):
    """What the first of ten samples that does not agree gives, or "" if all agree."""
    samples = op.sample_inputs("cpu", torch.float64, requires_grad=True)
    compared = 0
    for sample in itertools.islice(samples, 10):
        try:
            with mg.pytorch() as watched:
                results = op(sample.input, *sample.args, **sample.kwargs)
                results = results if isinstance(results, (tuple, list)) else [results]
                kept = [r for r in results if isinstance(r, torch.Tensor) and r.requires_grad]
                if any(r.is_complex() for r in kept):
                    return "complex"
                if not kept:
                    continue
                # any gradient will do, but one that is all ones hides much
                loss = sum((r * torch.rand_like(r)).sum() for r in kept if not r.is_sparse)
            if not isinstance(loss, torch.Tensor):
                return "sparse"
            loss.backward()
            watched.checked_losses()
        except Exception as problem:
            return str(problem)
        for d in (*watched.compare().values, *watched.compare().gradients):
            if not d.size <= ALLOWED:
                return f"{d.of}: {d.size}"
        compared += len(watched.compare().gradients)
    return "" if compared else "no sample has a gradient"


def sweep():
    """The outcome of each name."""
    without = types.ModuleType("expecttest")  # the database asks for it, and we do not
    without.TestCase = unittest.TestCase
    sys.modules.setdefault("expecttest", without)
    from torch.testing._internal import common_utils
    from torch.testing._internal.common_methods_invocations import op_db

    # it looks for a test of its own in the whole stack, at each sample: a third of the time
    common_utils.extract_test_fn = lambda: None
    found: dict[str, str] = {}
    for op in op_db:
        if op.supports_autograd and op.supports_dtype(torch.float32, "cpu"):
            torch.manual_seed(0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found[op.name] = found.get(op.name) or outcome(op)
    return found


def by_reason(found):
    """The names that do not agree, by reason."""
    names = collections.defaultdict(list)
    for name, said in found.items():
        if said:
            reason = next((r for r, words in REASONS.items() if re.search(words, said)), "other")
            names[reason].append(name)
    return names


@pytest.mark.slow
def test_the_names_that_agree():
    found = sweep()
    right = [name for name, said in found.items() if not said]
    for reason, names in sorted(by_reason(found).items(), key=lambda item: -len(item[1])):
        print(f"{len(names):4} {reason}: {', '.join(names)}")
    print(f"{len(right)} of {len(found)} names agree")
    assert len(right) >= AT_LEAST
    if torch.__version__.startswith("2.13"):
        said = re.search(r"(\d+) of (\d+) agree", (ROOT / "README.md").read_text())
        assert [*map(int, said.groups())] == [len(right), len(found)]

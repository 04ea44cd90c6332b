"""`import minigrad` loads what an engine needs; everything else loads when it is first used."""

import importlib.util
import subprocess
import sys

import pytest

import minigrad as mg

LATER = ("views", "course", "fast", "workers", "cluster")  # rooms and files of minigrad
OTHERS = ("matplotlib", "graphviz", "pygraphviz", "dask", "distributed", "torch", "minitransformer")


def loaded(code):
    """The modules that a new Python has loaded after `code`."""
    code += "; import sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    return set(done.stdout.split())


def test_import_minigrad_loads_no_view_and_no_other_library():
    modules = loaded("import minigrad")
    assert "minigrad.engine.walk" in modules
    assert modules.isdisjoint({f"minigrad.{name}" for name in LATER})
    assert modules.isdisjoint(OTHERS)


def test_what_is_used_is_loaded():
    modules = loaded("import minigrad as mg; [getattr(mg, name) for name in mg.LATER]")
    assert {f"minigrad.{place}" for place in mg.LATER.values()} <= modules
    assert "minigrad.fast" not in modules


def test_kernels_load_with_the_first_block_that_asks_for_them():
    if importlib.util.find_spec("minigrad.fast") is None:
        pytest.skip("the folder of kernels was deleted")
    assert "minigrad.fast" in loaded("import minigrad; minigrad.fast().__enter__()")


@pytest.mark.parametrize(
    "first", ["minigrad.fast", "minigrad.fast.softmax", "minitransformer.fast", "minigrad"]
)
def test_the_switch_can_be_called_whatever_was_imported_first(first):
    """The folder of kernels has the same name."""
    if importlib.util.find_spec(first.removesuffix(".softmax")) is None:
        pytest.skip("a folder of kernels was deleted")
    lines = [
        f"import {first}, minigrad",
        "from minigrad.engine.modes import mode",
        "for _ in range(2):",
        "    with minigrad.fast(): assert mode.get().fast",
        "assert minigrad.fast()(mode.get)().fast",
        "assert not mode.get().fast",
    ]
    loaded("\n".join(lines))

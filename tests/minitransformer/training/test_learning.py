"""Each task is learned by a small model in a few seconds, far beyond what chance could do.

The sizes are reduced, and so are the thresholds, to about half of what was measured; the figures of
the full sizes come from `python tests/benchmarks/tasks.py`.
"""

import pytest

from minitransformer import Settings, Sizes, Training
from minitransformer.tasks import make
from minitransformer.training.threads import one_thread

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "options", "steps", "least"),
    [  # measured with seeds 0 and 1
        ("copy", {}, 400, 0.45),  # 0.97, 0.90
        ("reverse", {}, 1000, 0.50),  # 1.00, 1.00
        ("sort", {}, 500, 0.33),  # 0.72, 0.64
        ("addition", {"digits": 2}, 1600, 0.33),  # 0.63, 0.73; one sum in 150 by chance
        ("dates", {}, 600, 0.21),  # 0.42, 0.56
    ],
)
def test_a_small_model_learns(name, options, steps, least):
    task = make(name, 0, **options)
    sizes = Sizes(len(task.source), len(task.target), width=32, heads=2, feed_forward=64)
    settings = Settings(steps=steps, batch=32, learning_rate=5e-3, warmup=50)
    run = Training(task, sizes, settings, made=options)
    with one_thread():
        run.fit()
        assert run.reader.accuracy(task.held_out(200)) >= least

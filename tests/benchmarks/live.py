"""How long a page takes to be written, to go on by a step, and to answer a change of one number, which
is computed again, forward and back, and drawn.

    python tests/benchmarks/live.py [runs/dates]

In headless Chromium: the processor time of the page's main thread for one press of an arrow key, layout
included, for a change painting as well: of all steps the mean, and of some changes the median. For the
ten lines of the README, one head of attention, a model of the size of `dates` that has learned nothing,
and about as much as a page computes with.

On the page of a date, letters are typed too, one after the other: how long it takes to decode the line
again, and from the key to the next picture that the browser has painted: of all keys the median and the
95th percentile. A model that has learned nothing needs about six passes for a line; one that has
learned, which is loaded where its folder is given, one to three.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from selenium import webdriver

sys.path.insert(0, str(Path(__file__).parents[2]))

import minigrad as mg
from minigrad import functional as F
from minitransformer import tasks
from minitransformer.model.sizes import Sizes
from minitransformer.training.checkpoints import load_reader
from minitransformer.training.readers import Reader
from minitransformer.views.explain import explain

CHOOSE = """
const search = document.getElementById("search");
search.value = arguments[0]; search.dispatchEvent(new Event("input"));
document.querySelector("#found li").click();
[...document.querySelectorAll("#tab-buttons button")].find((b) => b.innerText === "Drawing").click();
const picture = document.querySelector("#node canvas");
const enter = new KeyboardEvent("keydown", { key: "Enter", bubbles: true });
if (!document.querySelector("#node [data-field]")) picture.dispatchEvent(enter);
"""
PRESS = """
const [times, done] = arguments;
const field = document.querySelector("#node [data-field]").dataset.field;
const press = (k) => {
  const key = new KeyboardEvent("keydown", { key: k % 2 ? "ArrowUp" : "ArrowDown", bubbles: true });
  document.querySelector(`#node [data-field="${field}"]`).dispatchEvent(key);
  requestAnimationFrame(() => setTimeout(() => (k > 1 ? setTimeout(press, 5, k - 1) : done(k))));
};
press(times);
"""
STEP = """
const steps = Number(document.getElementById("time").max);
for (let i = 0; i < steps; i++) {
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  document.getElementById("world").getBoundingClientRect();
}
return steps;
"""
TYPE = """
const [lines, done] = arguments;
const field = document.getElementById("another-line");
const painted = [], decoded = [];
const press = (i) => {
  field.value = lines[i];
  const begun = performance.now();
  field.dispatchEvent(new Event("input"));
  decoded.push(performance.getEntriesByName("decode").at(-1).duration);
  requestAnimationFrame(() => {
    const channel = new MessageChannel(); // told after the picture is painted
    channel.port1.onmessage = () => {
      painted.push(performance.now() - begun);
      if (i + 1 < lines.length) setTimeout(press, 30, i + 1);
      else done([decoded, painted]);
    };
    channel.port2.postMessage(0);
  });
};
press(0);
"""
TIMES, ROUNDS, KEYS = 10, 7, 60


def ten_lines():
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    w = mg.Tensor([[0.0, 1.0], [-1.0, 1.0]], requires_grad=True)
    with mg.record():
        h = F.relu(x @ w)
        y = x + h
        return np.sum(y * y)


def attention():
    rng = np.random.default_rng(0)
    q, k, v = (mg.Tensor(rng.standard_normal((10, 16)), requires_grad=True, name=n) for n in "qkv")
    mask = np.tril(np.ones((10, 10), dtype=bool))
    with mg.record():
        weights = F.masked_softmax(q @ k.T / 4, mask)
        return np.sum(np.square(weights @ v))


def most():
    """About 19 million products to sum, and 2,000 operations."""
    rng = np.random.default_rng(0)
    draw = lambda *shape: rng.standard_normal(shape).astype(np.float32) / 11
    x = mg.Tensor(draw(64, 128), requires_grad=True)
    ws = [mg.Tensor(draw(128, 128), requires_grad=True, name=f"w{i}") for i in range(6)]
    with mg.record():
        h = x
        for w in ws:
            h = np.tanh(h @ w)
        row = h[0]
        for _ in range(660):
            row = np.tanh(row * 1.01) + 0.01
        return np.sum(row) + np.sum(h * h)


def dates(path):
    """The page of a reading; the model is that of the task, with its first weights or a folder's."""
    if sys.argv[1:]:
        reader, _ = load_reader(Path(sys.argv[1], "checkpoint.npz"))
    else:
        mg.manual_seed(0)
        task = tasks.make("dates")
        symbols = Reader.symbols(task.source, task.target)
        reader = Reader.of(task, Sizes(**symbols, encoder_layers=1, decoder_layers=1))
    return explain(reader, "3rd of march 1998", path)


def processor_times(driver, page, name):
    """Milliseconds of the main thread for each step, and for each change of a number of `name`."""
    driver.get(page.resolve().as_uri())
    driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})

    def spent():
        found = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return next(m["value"] for m in found if m["name"] == "TaskDuration")

    before = spent()
    steps = driver.execute_script(STEP)
    step = 1000 * (spent() - before) / steps

    driver.execute_script(CHOOSE, name)
    driver.execute_async_script(PRESS, TIMES)  # the first ones are compiled on the way
    rounds = []
    for _ in range(ROUNDS):
        before = spent()
        driver.execute_async_script(PRESS, TIMES)
        rounds.append(1000 * (spent() - before) / TIMES)
    return step, statistics.median(rounds)


def typing_times(driver, page):
    """Milliseconds to decode a line, and from its key to the picture: of each key."""
    driver.get(page.resolve().as_uri())
    text = "3rd of march 1998 5 may 2001 12 august 1987"
    lines = [text[k % 20 : k % 20 + 8 + k % 9].strip() for k in range(KEYS)]
    driver.execute_async_script(TYPE, lines[:10])  # the first ones are compiled on the way
    return driver.execute_async_script(TYPE, lines)


def told(times):
    return f"{statistics.median(times):.1f} ms, 95th percentile {np.percentile(times, 95):.1f}"


def main():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,900"):
            options.add_argument(flag)
        options.add_argument(f"--user-data-dir={folder}/profile")
        service = webdriver.ChromeService(shutil.which("chromedriver"))
        driver = webdriver.Chrome(options, service)
        driver.set_script_timeout(300)
        weight = "encoder.layers.0.self_attention.query.weight"
        for name, make, changed in (
            ("ten lines", ten_lines, "x"),
            ("attention", attention, "q"),
            ("dates", dates, weight),
            ("most", most, "w0"),
        ):
            page = Path(folder, "page.html")
            start = time.process_time()
            if make is dates:
                make(page)
            else:
                mg.explore(make(), page)
            written = time.process_time() - start
            step, change = processor_times(driver, page, changed)
            print(
                f"{name:10} {page.stat().st_size / 1e6:5.2f} MB {written:5.1f} s to write"
                f" {step:6.1f} ms a step {change:6.1f} ms a change",
                flush=True,
            )
            if make is dates:
                decoded, painted = typing_times(driver, page)
                print(f"  a letter typed: decoding {told(decoded)}; key to paint {told(painted)}")
        driver.quit()


if __name__ == "__main__":
    main()

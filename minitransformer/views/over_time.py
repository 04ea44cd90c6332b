"""The section of a reading's page that plays the snapshots of the run: a slider over the training."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .sentences import GRADIENTS, OVER_TIME

HERE = Path(__file__).parent
SECTION = """<style>
{style}</style>
<div id="over-time">
<p>{told}</p>
<div class="controls">
<button class="play" type="button">Play</button>
<input class="time" type="range" min="0" step="1" aria-label="Training" />
</div>
<p class="said" role="status"></p>
<div class="output" role="group" aria-label="What it would write, right symbols given before each"></div>
<div class="controls"><label>Where it looks
<select class="which" aria-label="Which attention"></select></label></div>
<div class="maps"></div>
<h2>Size of the gradient</h2>
<p class="soft">{gradients}</p>
<ul class="norms"></ul>
</div>
<script type="application/json" id="over-time-data">{data}</script>
<script>
{script}</script>"""


def section(snapshots: Mapping[str, Any]) -> str:
    """The section, in HTML.

    Args:
        snapshots: as `training.snapshots.Snapshots.as_data` gives them.
    """
    line, answer = map(html.escape, snapshots["pair"])
    data = json.dumps(snapshots, ensure_ascii=True, separators=(",", ":"))
    return SECTION.format(
        style=(HERE / "over_time.css").read_text(encoding="utf-8"),
        script=(HERE / "over_time.js").read_text(encoding="utf-8"),
        told=OVER_TIME.format(line=line, wanted=answer, count=len(snapshots["taken"])),
        gradients=GRADIENTS,
        data=data.replace("<", "\\u003c").replace("&", "\\u0026"),  # no tag can end the element
    )

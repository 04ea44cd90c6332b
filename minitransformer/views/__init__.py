"""Views of a model and its training.

- `model_plots`: attention, positions and learning, drawn with matplotlib
- `report`: the page that a run leaves behind
- `explain`: a page that goes through one reading, step by step. Its parts: `sentences`; `another_line`,
  the text field; `stages`, for the picture from letters to a symbol; `over_time`, the slider over the
  training; `position_switch`
"""

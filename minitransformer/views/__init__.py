"""Views of a model and its training.

- `model_plots`: attention, positions and learning, drawn with matplotlib
- `report`: the page that a run leaves behind
- `explain`: a page that goes through one reading, step by step; its sentences are in `sentences`, its
  text field in `another_line`, the picture of its stages in `stages`, the slider over the training in
  `over_time`, the switch of positions in `position_switch`
"""

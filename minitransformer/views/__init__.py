"""Views of a model and its training: `model_plots`, the `report` of a run, and `explain`, a page that
goes through one reading step by step."""

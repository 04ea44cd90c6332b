"""What shows a model and its training: `plots`, the `report` of a run, and `explain`, a reading to walk
through."""

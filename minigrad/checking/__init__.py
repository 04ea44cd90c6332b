"""Checks of numbers: gradients against finite differences, and the first NaN.

1. `differences`: the slope of a function along one element of an array
2. `gradcheck`: `mg.gradcheck`, every gradient of a function against these slopes; `report`: its answer;
   `inputs`: the leaves that are checked
3. `causes`: for a wrong gradient, the rule that made it and the mistake that would explain it
4. `operation_again`: one operation, computed with other arguments; `patterns`, `repairs`: what the wrong
   gradient is to the right one, and what would make it right
5. `anomaly`: `mg.detect_anomaly`, which stops at the first NaN or infinity
"""

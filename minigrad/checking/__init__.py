"""Checks of numbers: gradients against finite differences, and the first NaN.

1. `differences`: the slope of a function along one element of an array
2. `gradcheck`: `mg.gradcheck`, which compares every gradient of a function with these slopes; `report`:
   its answer; `inputs`: the leaves that are checked
3. `causes`: for a wrong gradient, the rule that made it and the mistake that explains it
4. `operation_again`: one operation, computed with other arguments; `patterns`: relations of the wrong
   gradient to the right one; `repairs`: small changes to a rule that would make it right
5. `anomaly`: `mg.detect_anomaly`, which stops at the first NaN or infinity
"""

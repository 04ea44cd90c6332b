"""Checks of numbers: gradients against finite differences, and the first NaN.

1. `differences`: the slope of a function along one element of an array
2. `gradcheck`: `mg.gradcheck`, every gradient of a function against these slopes
3. `causes`: for a wrong gradient, the rule that made it and the mistake that would explain it
4. `anomaly`: `mg.detect_anomaly`, which stops at the first NaN or infinity
"""

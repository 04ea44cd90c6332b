"""`pytest` in this folder checks the exercises in it: for your own work, not for what others hand in."""

from minigrad.course.exercises.collecting import pytest_collect_file

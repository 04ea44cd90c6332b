"""`pytest` in this folder marks the exercises in it."""

from minigrad.course.exercises.collecting import pytest_collect_file

"""A class is marked: from what was handed in to marks, feedback and a page for the teacher.

Read `roster` (who is in the class), `handed_in` (folders and zips), `alike` (equal work), `kept`
(verdicts from run to run), `points`, `results` (tables and JSON), `feedback` (a page for each student),
`page` (one for the teacher), `class_results` (all of these, written while a class is marked),
`gradescope` (a zip that marks there), and `teacher`, the commands.
"""

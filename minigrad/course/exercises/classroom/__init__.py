"""A class is marked: from what was handed in to points, feedback, and a page for the teacher.

`teacher.mark_class` does it:

    `students_in`       finds the students in folders and zips, and copies their files
    `VerdictCache`      has the verdicts of the run before
    `marks_of_class`    marks what is new: `sandbox.marks_of`, each function in a room of its own
    `with_share`        gives parts of the points, as the options and a table of points say
    `ClassResults`      writes the table, JSON, the page, and a page for each student

Read it in this order:

1. What came in. `students`, `files_inside`, `platform_names`: who handed in what; `roster`, `times`,
   `table_files`: who is in the class, and when work was handed in
2. Marks. `class_marks`, `verdict_cache`: found, and kept from run to run; `points`, `points_table`: what
   they are worth
3. What goes out. `result_files`: JSON, JUnit XML, CSV; `moodle_grades`; `class_mistakes`, `class_page`:
   for the teacher; `feedback`: for each student; `equal_work`; `class_results`: all of these, written
   while a class is marked
4. `gradescope`: its results, and a zip that marks there
5. `teacher`: the commands
"""

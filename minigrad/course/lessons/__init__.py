"""The lessons of the course: listed, run, and written as notebooks.

    python -m minigrad lessons                          what there is
    python -m minigrad lessons 08                       run one
    python -m minigrad lessons --notebooks DIR          notebooks, to be opened in Jupyter

A lesson is a file of `examples/` in the percent format. Below its title stands, in italics, what it is
about and how long it took when it was measured.

From a lesson's file to its page:

    `lesson.lessons`        finds the file, and reads its title
    `cells.cells`           cuts its text into cells
    `running.execute`       runs these in a process of its own; a folder has what they print and draw
    `pages.lesson_page`     makes HTML of them: text by `markdown`, a question by `forms`, and a link
                            for each name of the packages by `source_links`
    `site.build`            asks for all of this, for each lesson, and writes the pages

To its notebook: `notebooks.write_notebooks`, by jupytext. It has not run.

Read it in this order:

1. `lesson`, `cells`: the files, and what is in them
2. `running`: cell by cell, in a process; `notebooks`
3. Pages, which `minigrad.course.site` puts together. `addresses`: where links lead; `markdown`, `forms`,
   `source_links`: text, questions, names in the code; `pages`: a page of each kind
4. `command`: the command
"""

"""The course as a site: lessons, exercises, interactive pages, guides, the reference of both packages.

    python -m minigrad course                 build it, serve it on this machine alone, open a browser
    python -m minigrad course --out DIR       write it as files, which need no server and no network
    python -m minigrad course --out X.zip     the same as one file, as a learning platform takes it

What takes long (to run the lessons, to make the reference) is kept, by the content of what it is made
of.

Read it in this order:

1. `cache`: the folders that are kept
2. `side_by_side`: lessons that run at a time
3. Pages about the whole. `overview`: what builds on what; `idioms`: for who knows another library;
   `front`: the index, and the exercises with a learner's own marks
4. `site_folder`: where every page is written; `preview`: what can be read before all has run
5. `build`: the lessons run, and every page is written
6. `command`: the site written as files, or served
"""

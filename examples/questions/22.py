"""The questions of lesson 22."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    which_table=Question(
        "The tables look at the last 0, 1, 2, 3 or 4 letters. The table of how many gets most of the "
        "held-out nouns right?",
        answer=2,
        by="max(baselines, key=baselines.get)",
        hint="What does a `y` need that stands before it? And how many of the 26 x 26 x 26 endings of "
        "three letters were met in 2,000 examples?",
        mistakes={
            "1": "It gives every noun on `y` the same plural: days and parties.",
            "3": "It sees more, but many of its rows were met once or never.",
            "4": "It sees `foot` as a whole. But most endings of four letters were never met.",
        },
        because="Two letters are enough for all rules but one, and all their rows were met often.",
    ),
    real=Question(
        "The model is right on nearly all of 200 made-up nouns that it never saw. Of the eight real "
        "nouns before `goose`, how many does it get right?",
        choices=["all eight", "some of them", "none"],
        answer="some of them",
        by="{8: 'all eight', 0: 'none'}.get(len(right), 'some of them')",
        hint="Compare `party` and `kiss` with the six nouns that were printed first. What do they have "
        "that none of those has?",
        mistakes={
            "all eight": "That would be so if they were like those of the test. Is one of these "
            "like `party`?",
            "none": "Some are made as ours are: `day` is a `d` and an ending.",
        },
        because="Where a noun is like the made-up ones it is right; two consonants in a row are not.",
    ),
    goose=Question(
        "What does it write for `goose`?",
        choices=["geese", "a plural with s, as if there were no geese", "nothing"],
        answer="a plural with s, as if there were no geese",
        by="""
            regular = "a plural with s, as if there were no geese"
            {"geese": "geese", "": "nothing"}.get(second["goose"], regular)
        """,
        hint="Which rule do all its other examples on `se` follow?",
        mistakes={
            "geese": "Only somebody who was told of it can know that.",
            "nothing": "It was never shown a noun to which one writes nothing.",
        },
        because="It has learned rules, and an ending without an exception follows a rule.",
    ),
    end_baseline=Question(
        "A model turns 95% of the held-out nouns into the right plural. Is it worth its training?",
        choices=[
            "yes, 95% are many",
            "no, a table of two letters does more",
            "that cannot be said",
        ],
        answer="no, a table of two letters does more",
        by="""
            "no, a table of two letters does more" if baselines[2] > 0.95 else "yes, 95% are many"
        """,
        hint="Compare it with section 3.",
        mistakes={
            "yes, 95% are many": "Many, but fewer than what twenty lines of counting do.",
            "that cannot be said": "It can, as soon as there is a baseline on the same nouns.",
        },
        end=True,
        because="The best table gets more than 98%.",
    ),
    end_batch=Question(
        "The loss of one batch stays at 2 after 500 steps. What do you do?",
        choices=["draw more examples", "train longer", "look for a mistake in the program"],
        answer="look for a mistake in the program",
        by="""
            "look for a mistake in the program" if memory.curve[-1].loss < 0.01 else "train longer"
        """,
        hint="How many examples are there to be learned in one batch?",
        mistakes={
            "draw more examples": "It cannot even learn 32. More make it harder.",
            "train longer": "A program without a mistake needs about 100 steps for it.",
        },
        end=True,
        because="32 examples can be known by heart, whatever the task is.",
    ),
)

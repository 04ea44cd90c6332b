"""The questions of lesson 00."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    exam=Question(
        "Of the 73,049 days from 1900 to 2099, 1000 were put aside before training. It has seen 19,200 "
        "examples, none of them on one of these. How many of 200 of these does it read right?",
        choices=["none: it has never seen them", "about half", "nearly all"],
        answer="nearly all",
        by="""
            few = "about half" if accuracy > 0.3 else "none: it has never seen them"
            "nearly all" if accuracy > 0.9 else few
        """,
        hint="The loss has fallen nearly to 0, and it saw most of its days only once.",
        mistakes={
            "none: it has never seen them": (
                "It has seen most of the other days not even once. If it had learned them by heart, "
                "its loss would not have fallen."
            ),
            "about half": "The loss is nearly 0, on days that are as good as new to it.",
        },
        because=(
            "Its 19,200 examples show about 17,000 different days: to know them by heart would help it "
            "little."
        ),
    ),
    one_letter=Question(
        "`1998-03-03` has ten symbols, counted from 1. Which of them changes when Mar becomes May?",
        answer=7,
        counted=True,
        by="changed",
        hint="Year, month, day. What is May as a number, with two digits?",
        mistakes={
            "6": "That is the first digit of the month, 0 for both.",
            "5": "That is the dash after the year. Count from 1.",
            "10": "That is the last digit of the day, which stays 3.",
        },
        because="03 becomes 05.",
    ),
    end_examples=Question(
        "Each of 600 steps shows it 32 examples. How many examples does it see?",
        answer=19200,
        by="settings.steps * settings.batch",
        hint="Multiply.",
        mistakes={"600": "That is the number of steps. Each shows 32 examples."},
        because=r"$600 \cdot 32$.",
        end=True,
    ),
    end_sure=Question(
        "It is given some text, and writes a date. What does that tell you about the text?",
        choices=[
            "that there is a date in the text",
            "nothing: it always writes something",
            "that it has seen the text in training",
        ],
        answer="nothing: it always writes something",
        by="""
            always = all(len(written) > 0 for written in reader.read(["hello", "3 1998"]))
            "nothing: it always writes something" if always else ""
        """,
        hint='What did it make of "hello"?',
        mistakes={
            "that there is a date in the text": 'There is none in "hello".',
            "that it has seen the text in training": "It has seen nothing but dates.",
        },
        because="It writes the likeliest symbol each time, however unlikely that is.",
        end=True,
    ),
)

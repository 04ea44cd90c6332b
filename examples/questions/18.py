"""The questions of lesson 18."""

from minigrad.course.questions import Question, questions

QUESTIONS = questions(
    unequal=Question(
        "The gradient of the mean over the first three examples is $-10/3$, that of the last one alone "
        "is $-8$. What is the gradient of the mean over all four?",
        answer=-4.5,
        by="whole / 4",
        hint="Go back to sums: what do the first three give together?",
        mistakes={
            "-17/3": "That is the mean of the two means. It counts the single example as much as the "
            "three others together.",
            "-34/3": "That is the sum of the two means. Sums may be added; means may not.",
            "-18": "That is the gradient of the sum over all four; the mean is a quarter of it.",
        },
    ),
    floats=Question(
        "In float32, what is $((1 + 10^8) - 10^8) + 1$?",
        answer=1,
        by="from_left(np.float32([1, 1e8, -1e8, 1]))",
        hint="Which float32 is nearest to $1 + 10^8$?",
        mistakes={
            "2": "That is the exact sum. But $1 + 10^8$ is no float32: it is rounded to $10^8$.",
            "0": "One 1 is lost, in $1 + 10^8$. The other is added when the large numbers are gone.",
        },
    ),
    same_bits=Question(
        "Two processes take four steps, and this thread alone takes four, with the same parts. "
        "Their weights are",
        choices=[
            "the same bits",
            "the same to rounding",
            "different: chance decides who computes what",
        ],
        answer="the same bits",
        by="['the same to rounding', 'the same bits'][len(set(bits.values())) == 1]",
        hint="What does a part's gradient depend on? And in which order are they added?",
        mistakes={
            "the same to rounding": "So it would be if gradients were added as they arrive. They "
            "are kept by number, and added in the tree.",
            "different: chance decides who computes what": "Chance decides who computes it; but a "
            "part's gradient depends on the weights and the part, not on who computes it.",
        },
    ),
    dies=Question(
        "A process is killed while it computes its part of a step. What must be computed again, "
        "for the same bits?",
        choices=["that part", "the whole step", "nothing: its part is left out"],
        answer="that part",
        by="{1: 'that part', 4: 'the whole step', 0: 'nothing: its part is left out'}"
        "[count['dies'] + count['compute'] - 8]",
        hint="What of the other parts' gradients has been lost?",
        mistakes={
            "the whole step": "The other gradients are there, and the weights have not changed.",
            "nothing: its part is left out": "That is the gradient of a smaller batch.",
        },
    ),
    ring=Question(
        "Four workers, and a gradient of 8 MB. How many MB does each worker send, over all rounds?",
        answer=12,
        by="sent_by_one / 1e6",
        hint="Count the rounds, and the size of a chunk.",
        mistakes={
            "6": "Those are the three rounds that add. In three more the complete chunks go round.",
            "8": "That is a gradient once. There are six rounds, and a chunk of 2 MB in each.",
            "16": "There are $2 (N - 1)$ rounds, not $2 N$.",
            "48": "That would be a whole gradient in each round; it is a chunk, a quarter.",
        },
    ),
    small=Question(
        "A thousand machines add gradients of a model of 2,500 weights. Which way is quickest?",
        choices=["through the centre", "around the ring", "up and down a tree"],
        answer="up and down a tree",
        by="{'centre': 'through the centre', 'ring': 'around the ring', 'tree': 'up and down a tree'}"
        "[quickest[2_500]]",
        hint="10 kB take 3 microseconds, a message 20. So what counts?",
        mistakes={
            "around the ring": "The ring sends the fewest bytes, but in 1,998 messages after each "
            "other; and here the messages cost most.",
            "through the centre": "One process then waits for 2,000 messages, one after the other.",
        },
    ),
    end_mean=Question(
        "Three parts have 10, 30 and 60 symbols to write, and mean losses of 2.0, 1.0 and 0.5. What is "
        "the mean loss of the batch?",
        answer=0.8,
        by="float(np.dot([10, 30, 60], [2.0, 1.0, 0.5]) / 100)",
        hint="How much does each part give to the sum over symbols?",
        mistakes={
            "3.5/3": "That is the mean of the means: it counts the 10 symbols as much as the 60."
        },
        end=True,
    ),
    end_tree=Question(
        "Six parts are added in the tree. How many additions does the first part pass through?",
        answer=3,
        counted=True,
        by="tree([0] * 6, lambda one, other: max(one, other) + 1)",
        hint="Write it down: $((ab)(cd))(ef)$.",
        mistakes={
            "5": "That is the number of additions in all, or for the first part from left to right.",
            "2": "After two, $(ab)(cd)$ is complete; $(ef)$ is still missing.",
        },
        end=True,
    ),
    end_cost=Question(
        "A step is 60 s of work, and the gradient has 1 GB. 120 machines add it around a ring, at "
        "1 GB/s and 20 microseconds a message. What would shorten the step most?",
        choices=["processors twice as fast", "a network twice as wide", "messages twice as quick"],
        answer="a network twice as wide",
        by="['processors twice as fast', 'messages twice as quick', 'a network twice as wide']"
        "[int(np.argmax(step_time(60, 120, 1e9, 20e-6, 1e9, 'ring')))]",
        hint="Compute the three terms: which one is largest?",
        mistakes={
            "processors twice as fast": "The work of each is 0.5 s; the bytes take nearly 2 s.",
            "messages twice as quick": "238 messages of 20 microseconds are 5 ms.",
        },
        end=True,
    ),
)

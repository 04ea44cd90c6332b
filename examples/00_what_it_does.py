# %% [markdown]
# # 00 What it does
#
# *A transformer learns to read dates, and then it reads yours. About 8 seconds.*
#
# The course ends with a machine that reads and writes. This lesson begins with it. You need to
# understand nothing yet: run it, give it a date of your own, change a letter, and see what changes.
# The lessons that follow build the same machine, from one derivative on, until every number in it can
# be computed by hand.
#
# After it you can
#
# - say what a transformer is given, and what it writes;
# - see from a picture which letters it looked at when it wrote a digit;
# - say what it does with something that it has never seen;
# - name the three questions that the course answers, and the lessons that do.

# %%
import random
from datetime import date

import numpy as np

import minitransformer as mt
from minigrad.course.pictures import Pictures
from minigrad.course.questions import Questions
from minitransformer.tasks.dates import Dates, fault, write
from minitransformer.training.threads import one_thread
from minitransformer.views.explain import explain, reading_of
from minitransformer.views.model_plots import attention_map

pictures = Pictures()  # or Pictures("another/folder")
ask = Questions("00")

# %% [markdown]
# ## Examples, and no rules
#
# People write dates in many ways. Programs want one: year, month, day, as in `1998-03-03`. You could
# write a program for it, with a list of the months. Here nobody writes one. A *transformer* is shown
# examples, and nothing else: what somebody wrote, and what is right. To it, both are only rows of
# symbols. It is not told what a month is, nor that 3 and 3rd are the same.
#
# (The next cells are for the machine. You can read past them: nothing in them is needed before lesson
# 13, and there each part has its place.)

# %%
FORMS = ("the {nth} of {month} {year}", "{d} {mon} {year}", "{month} {d}, {year}")


class ThreeForms(Dates):
    """Days, mostly from 1900 to 2099, each written in one of three ways. 1000 are never shown."""

    def batch(self, step, size):
        generator = random.Random(f"00 {step}")
        days = [day for _, day in super().batch(step, 2 * size) if not fault(day)]
        return [in_a_form(day, generator) for day in days[:size]]


def in_a_form(day, generator):
    return write(date.fromisoformat(day), generator.choice(FORMS)), day


task = ThreeForms()
for text, right in task.batch(1, 4):
    print(f"{text:>26} -> {right}")

# %% [markdown]
# ## It learns
#
# At first it writes nonsense. A number, the *loss*, says how wrong it is. Each step of training shows
# it 32 examples, and moves every number inside it a little, so that the loss falls.

# %%
sizes = mt.Sizes(len(task.source), len(task.target), width=32, feed_forward=64)
settings = mt.Settings(steps=600, batch=32, learning_rate=1e-2)
training = mt.Training(task, sizes, settings)
with one_thread():
    training.fit(lambda run: run.steps_done % 100 == 0 and print(f"loss {run.curve[-1].loss:.3f}"))
reader = training.reader
inside = sum(parameter.size for parameter in reader.model.parameters())
print(f"{inside:,} numbers inside have moved {training.steps_done} times")

# %% [markdown]
# Now an exam: 200 days that it was never shown, in any form.

# %%
ask("exam", ...)

# %%
generator = random.Random(0)
exam = [in_a_form(day, generator) for _, day in task.held_out(200)]
accuracy = reader.accuracy(exam)
print(f"{accuracy:.1%} of the dates are right, to the last digit")
assert accuracy > 0.95

# %% [markdown]
# So it has not learned its examples by heart. It has found something that works for days that are new
# to it.
#
# ## Your date
#
# Write a date of your own in place of this one, and run the cell again. It knows three forms: "the 3rd
# of March 1998", "3 Mar 1998" and "March 3, 1998".
# (If you read this in a browser, [here is a page](out/00_your_date.html) where you can type it. The
# page also shows every single number that the machine computed on the way. At the end of the course
# you can read all of it.)

# %%
yours = "24 Nov 2026"
print(f"{yours} -> {reader.read([yours])[0]}")

pictures.folder.mkdir(parents=True, exist_ok=True)
page = explain(reader, yours, pictures.folder / "00_your_date.html", examples=exam[:5])
print("open in a browser:", page)

# %% [markdown]
# ## Where it looked
#
# It writes one symbol after the other. For each it looks at what it has read, at some letters more
# and at others less. This can be drawn: a row for each symbol that it wrote, a column for each letter
# that it read, and the darker, the more it looked. It has four ways to look, its *heads*, and the
# picture is their mean. (`<eos>`, end of sequence, is how it says that it has finished.)

# %%
line = "the 3rd of March 1998"
given = reader.encode([line])
seen = reading_of(reader, line, given, reader.beginning(given, reader.write(given)))
looked = np.mean(seen.weights[0], axis=0)  # a row for each symbol written, a column for each letter
print(f"{line} -> {seen.written}")
assert np.allclose(looked.sum(axis=1), 1, atol=1e-5)

picture = lambda: attention_map(
    looked, queries=seen.symbols, keys=seen.looked_at, sides=("wrote", "looked at")
)
pictures("00_where_it_looked", picture)

# %%
for place, name in ((0, "the first digit of the year"), (6, "the last digit of the month")):
    best = np.argsort(looked[place])[::-1][:3]
    letters = ", ".join(repr(seen.looked_at[k]) for k in best)
    print(f"for {name}, {seen.symbols[place]}, it looked most at {letters}")

# %% [markdown]
# Nobody told it where to look. That it looks at the right place is part of what it has learned. (Not
# everything in the picture has a simple reason. Lesson 09 shows how to find out what a part is good
# for.)
#
# ## One letter
#
# Change one letter of what it reads: "3 Mar 1998" becomes "3 May 1998".

# %%
ask("one_letter", ...)

# %%
before, after = reader.read(["3 Mar 1998", "3 May 1998"])
changed = [place for place, (a, b) in enumerate(zip(before, after), 1) if a != b]
print(f"{before}, then {after}: the symbols that change are at {changed}")
assert (before, after) == ("1998-03-03", "1998-05-03")

# %% [markdown]
# One letter in, one digit out. It has read "Mar" and "May" as two different months, though two of
# three letters are the same.
#
# And what does it do with something that it cannot know? Somebody misspells a month, or
# writes none:

# %%
for text in ("3 Mxr 1998", "3 1998", "hello"):
    print(f"{text:>12} -> {reader.read([text])[0]}")

# %% [markdown]
# It always writes something, and it does not say that it is guessing. Remember that: larger models
# are built in the same way, and do the same. (Lesson 14 looks at how sure it is of each symbol. There
# one can see the doubt.)
#
# ## Three promises
#
# How can numbers that moved a little, 600 times, read a date? The course answers three questions, and
# you will compute each answer yourself:
#
# 1. **How does it know which way to move each number?** By one derivative for each, all found
#    together in a single walk. Lesson 01 finds the first, and in lesson 04 you write the engine
#    that finds them all.
# 2. **How does it look?** By a mean in which some letters count more than others. Lesson 05 has it in
#    three lines, lesson 08 is the whole formula, and in lesson 12 you compute a whole model by hand.
# 3. **How do examples alone make it right?** Lesson 13 trains such a model line by line, and takes
#    away one part after another to see what each is there for. In lesson 13b your own engine trains it.
#
# What the letters in the formulas mean is on [one page](SYMBOLS.md). What is used of NumPy and of
# mathematics is on two more: [NumPy](NUMPY.md), [mathematics](MATHEMATICS.md). There is no need to read
# them first.
#
# ## Questions
#
# Work them out first, on paper or in a new cell.

# %%
ask("end_examples", ...)

# %%
ask("end_sure", ...)

# %% [markdown]
# There is nothing to write yet. Next: `01_one_derivative.py`. It keeps the beginning of the first
# promise: one number, and which way to move it.

# %%
print(pictures)

# %% two look-ups find what followed
rule("mdkbtdk") == 3

# %% in another sequence, too
rule("tapsta") == 2

# %% a score of a first layer sees one position
np.flatnonzero(changed).tolist() == [2]

# %% two heads by hand go on with k
two_heads(X)[0][5, letters.index("k")] > 0.99

# %% and then with b
two_heads(X)[0][6, letters.index("b")] > 0.99

# %% without the notes the second takes a mean
np.allclose(even[6], 1 / 7)

# %% and without the second there is no answer
not no_answer.any()

# %% the place and the distance of the part are drawn anew
rows, following = batch(np.random.default_rng(5), 300)
at = places_of_answers(rows, following >= 0)
distances = np.subtract(*np.nonzero(at)[1:])
len(set(distances)) > 10 and at.any(axis=0).sum() > 150

# %% the loss of a guess is ln 24
np.isclose(guessing, np.log(24))

# %% one layer stays near 20 %
0.15 < reached[1][1] < 0.27

# %% and its loss above 2.5
2.5 < reached[1][0] < guessing

# %% which is what positions alone tell
abs(reached[1][1] - by_position) < 0.06

# %% about 2.8, in fact
abs(reached[1][0] - 2.8) < 0.1

# %% two layers come to 97 % and more
reached[2][1] > 0.97

# %% with a loss below 0.2
reached[2][0] < 0.2

# %% both heads come up together
abs(to_half[0] - to_half[1]) <= 60

# %% when the loss falls
learned[2][to_half.min() - 100] > 3 * learned[2][to_half.max() + 100]

# %% the first head looks one back
to_previous > 0.6

# %% everywhere in the row shown
(np.argmax(first[1:], axis=1) == np.arange(18)).all()

# %% the second looks for what followed
to_follower > 0.9

# %% without the first the copy is lost
table["without head 1"][1] < 0.15

# %% without the second, too
table["without head 2"][1] < 0.15

# %% with a loss above 8 without the first
table["without head 1"][0] > 8

# %% and above 4 without the second
table["without head 2"][0] > 4

# %% the note travels through the keys
by_way["key"] > 0.97

# %% and through nothing else
max(by_way["query"], by_way["value"]) < 0.15

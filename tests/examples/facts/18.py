# %% the gradient of a sum is the sum of the gradients
whole == sum(halves) == -18

# %% to the engine, a weight that two parts use
sorted(share.fitted.item() for share in to_w) == [-20, 2]

# %% the same on an interactive page
"both = first + second" in page.read_text("utf-8")

# %% means count by the sizes of their parts
np.isclose(weighted, whole / 4)

# %% a mean of means is another
not np.isclose(mean_of_means, whole / 4, atol=0.5)

# %% parts of as many pairs have different numbers of symbols
len(set(written)) == 4

# %% whose shares add up to the loss
np.isclose(sum(shares), of_batch, rtol=1e-5)

# %% floats do not add in any order
set(found) == {0, 1, 2}

# %% gradients neither
0.1 < differ < 0.9

# %% two runs drift apart after one other last bit
apart[-1] > 10 * apart[0] > 0

# %% the order of the tree follows from the number of parts
pair = lambda one, other: f"({one}{other})"
[tree("abcdef"[:n], pair) for n in (4, 6)] == ["((ab)(cd))", "(((ab)(cd))(ef))"]

# %% and less is rounded in it
off[from_left][-1] > 20 * off[in_a_tree][-1]

# %% threads, processes and one alone give the same bits
len(bits) == 4 and len(set(bits.values())) == 1

# %% weights are sent to each worker once a step
np.isclose(moved["send"], 2 * of_weights, rtol=0.05)

# %% and a gradient comes back from each part
np.isclose(moved["receive"], 4 * of_weights, rtol=0.05)

# %% a process that dies changes no bit
digest(undisturbed) == digest(with_death)

# %% though its part was begun twice
(count["compute"], count["dies"]) == (8, 1)

# %% after all rounds of a ring everybody has the sum
(held[-1] == 4).all()

# %% after half of them one chunk each
(held[3] == 4).sum() == 4

# %% a ring sends less than twice the gradient
sent_by_one == 12e6 < 2 * 8e6

# %% for small gradients a tree is quickest
quickest[2_500] == "tree"

# %% for large ones a ring
quickest[175e9] == quickest[WEIGHTS] == "ring"

# %% through the centre, few machines pay
machines[total["centre"].argmin()] < 10

# %% gradients of some steps ago can fail
abs(paths[5][-10:]).max() > 1

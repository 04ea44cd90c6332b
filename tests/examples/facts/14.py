# %% greedy by hand as in the library
[write(text, np.argmax) for text in texts] == reader.read(texts)

# %% a maximum length
len(write("3 J? 1998", np.argmax, longest=4)) == 4

# %% temperature
p = np.array([0.5, 0.3, 0.15, 0.05])
theirs = decoding.distribution(np.log(p)[None], temperature=0.5)
np.allclose(with_temperature(p, 0.5), theirs)

# %% to 0 is greedy
np.allclose(with_temperature(p, 0.01), [1, 0, 0, 0])

# %% top-k
p = np.array([0.5, 0.3, 0.15, 0.05])
np.allclose(top_k(p, 2), decoding.distribution(np.log(p)[None], top_k=2))

# %% top-p
p = np.array([0.5, 0.3, 0.15, 0.05])
np.allclose(top_p(p, 0.9), decoding.distribution(np.log(p)[None], top_p=0.9))

# %% draws as likely as they should be
shares["3 Ju? 1998"][[5, 6]].sum() > 0.8

# %% greedy misses the best
list(beam(tree, 1)) == ["aa"]

# %% which a beam finds
next(iter(beam(tree, 2))) == "bb"

# %% the length penalty
penalised(-3.0, 5, 1) < penalised(-3.5, 10, 1)

# %% the cache changes nothing
np.allclose(scores.data[0, 0], expected, rtol=0, atol=1e-10)

# %% nor what is written
np.array_equal(decoding.greedy(model, ids, 12), decoding.greedy(model, ids, 12, cached=False))

# %% and is faster
faster > 2

# %% each part of a date is read where it stands
share > 1.3 * len(part) / len(text)

# %% and the weekday hardly
share_of("Tuesday", range(10)) < 0.5 * 7 / 30

# %% multiplications are as many as the formulas say
counted_work == list(cost(6, 4))

# %% a text half as long has more than a quarter of the work, as matrices grow with T alone
cost(128, 512)[0] > cost(256, 512)[0] / 4 and cost(8192, 512)[0] < 4 * cost(4096, 512)[0]

# %% with a cache writing costs nearly what training does
0.5 < cost(1024, 512)[1] / cost(1024, 512)[0] < 1

# %% a recurrent network pays the same for each symbol
cost(2, 512)[3] == 2 * cost(1, 512)[3]

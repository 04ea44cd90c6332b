"""What each lesson must show: a fact or number in plain words, and code that says whether it is so.

The code is run in the names of the lesson after the lesson has run; its last line is the fact. Where
the lesson has used a name again since, the lines before the last compute it once more.
"""

FACTS: dict[str, list[tuple[str, str]]] = {
    "00": [
        ("nearly all dates of days that it never saw are read", "accuracy > 0.95"),
        (
            "and none of them was shown in training",
            """
            shown = {day for step in range(1, 601) for _, day in task.batch(step, 32)}
            len(shown) > 10_000 and not shown & {day for _, day in exam}
            """,
        ),
        (
            "one letter changes one digit",
            'reader.read(["3 Mar 1998", "3 May 1998"]) == ["1998-03-03", "1998-05-03"]',
        ),
        (
            "for the last digit of the day it looks at the 3",
            "looked[9].argmax() == line.index('3')",
        ),
    ],
    "01": [
        ("the derivatives of (3 x 2 - 4)^2 are 8, 12 and 4", "[dw, dx, dc] == [8, 12, 4]"),
        (
            "by the chain rule the same as by nudging",
            "np.allclose([dw, dx, dc], by_nudging, atol=1e-4)",
        ),
        ("the same on an interactive page", '"p = w * x" in page.read_text(encoding="utf-8")'),
        (
            "gradients add in x + x",
            """
            x = mg.Tensor(3.0, requires_grad=True)
            (x + x).backward()
            x.grad.item() == 1 + 1
            """,
        ),
        (
            "gradients add in x * x",
            """
            x = mg.Tensor(3.0, requires_grad=True)
            (x * x).backward()
            x.grad.item() == 3 + 3
            """,
        ),
        ("on the smallest diamond a naive recursion says 6", 'wrong["x"] == 6'),
        (
            "where 4 is right",
            """
            x = mg.Tensor(1.0, requires_grad=True)
            u = 2 * x
            (1 * u + 1 * u).backward()
            x.grad.item() == 4
            """,
        ),
        (
            "one use fewer, and it would be right",
            'naive({"x": [], "y": [("x", 1), ("x", 1)]}, "y", Counter(y=1))["x"] == 2',
        ),
        ("the other recursion is right", 'gradients["x"] == 4'),
        ("but takes 2^n time", "visits == [2 ** (n + 1) - 1 for n in sizes]"),
        ("and the walk in topological order n", "in_order == [n + 1 for n in sizes]"),
        ("four lines learn", "path[0] == 2 and abs(w.item() - 2 / 3) < 0.001"),
        (
            "and in the other form that people write",
            """
            w = mg.Tensor(2.0, requires_grad=True)
            for _ in range(20):
                y = (w * 3 - 2) ** 2
                w.grad = None
                y.backward()
                with mg.no_grad():
                    w -= 0.02 * w.grad
            abs(w.item() - 2 / 3) < 0.001
            """,
        ),
    ],
    "02": [
        ("a gradient has the shape of its tensor", "W.grad.shape == W.shape"),
        ("the gradient of a copied row is a sum", "row.grad.tolist() == [1, 5, 3]"),
        ("and of a copied column", "column.grad.tolist() == [[3], [6]]"),
        (
            "the gradient of a sum is a copy",
            """
            X = mg.Tensor(np.ones((2, 3)), requires_grad=True)
            np.sum(X, axis=0).backward(np.array([7.0, 8.0, 9.0]))
            np.array_equal(X.grad, [[7, 8, 9], [7, 8, 9]])
            """,
        ),
        (
            "a copy's walk back is a sum's matrix",
            'np.array_equal(backwards["copy a row twice"], forwards["sum of two rows"])',
        ),
        (
            "and any linear walk back a transpose",
            "np.array_equal(backwards[name], forwards[name].T)",
        ),
        ("by shape alone, that of A in A @ B is G @ B.T", 'list(fit["A"]) == ["G @ B.T"]'),
        ("and that of B is A.T @ G", 'list(fit["B"]) == ["A.T @ G"]'),
        ("which the engine confirms", 'np.allclose(A.grad, fit["A"]["G @ B.T"])'),
        (
            "for both",
            """
            B = mg.Tensor(rng.normal(size=(3, 4)), requires_grad=True)
            A, G = rng.normal(size=(2, 3)), rng.normal(size=(2, 4))
            (A @ B).backward(G)
            np.allclose(B.grad, A.T @ G)
            """,
        ),
        ("and so does a product made of copies and a sum", "np.allclose(A.grad, by_rule[0])"),
        (
            "repeated indices add",
            "table.grad[:, 0].tolist() == [sentence.count(word) for word in known]",
        ),
        ("which += drops", 'dropped[known.index("the")] == 1'),
        ("and np.add.at does not", 'kept[known.index("the")] == 3'),
        (
            "in a layer, the bias gets a sum over the rows",
            "np.array_equal(b.grad, (2 * Y.data).sum(axis=0))",
        ),
        (
            "the matrix of a running sum, and of its walk back",
            """
            f = lambda x: np.cumsum(x)
            M = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1]])
            np.array_equal(forward_matrix(f, (3,)), M) and np.array_equal(backward_matrix(f, (3,)), M.T)
            """,
        ),
    ],
    "03": [
        (
            "a central difference is off by h^2 / 6 f'''",
            """
            e, h = np.exp(0.5), 0.01
            np.isclose(central(np.exp, 0.5, h) - e, h**2 / 6 * e, rtol=0.01)
            """,
        ),
        (
            "a one-sided one by h / 2 f''",
            """
            e, h = np.exp(0.5), 0.01
            np.isclose(one_sided(np.exp, 0.5, h) - e, h / 2 * e, rtol=0.05)
            """,
        ),
        ("truncation falls as h^2 in float64", "abs(steepness(np.float64, 1e-1, 1e-4) - 2) < 0.02"),
        ("and in float32", "abs(steepness(np.float32, 3e-1, 2e-2) - 2) < 0.05"),
        ("rounding grows as 1/h in float64", "abs(steepness(np.float64, 1e-7, 1e-14) + 1) < 0.05"),
        ("and in float32", "abs(steepness(np.float32, 1e-3, 1e-6) + 1) < 0.1"),
        ("the best step is where both are equal", "expected / 8 < best[dtype][0] < expected * 8"),
        ("a planted bug is found and named", '"transpose" in str(found)'),
        ("and so are others", 'kinds == [[], ["factor"], ["sign"], ["transpose"]]'),
        ("an input too regular lets it through", "mg.gradcheck(product, A, np.eye(7)).ok"),
        ("and so does looking at a few elements only", "right.sum() == 48"),
        (
            "and a sum with equal weights",
            "mg.gradcheck(lambda x: np.sum(softmax(x)), rng.normal(size=(4, 3))).ok",
        ),
        (
            "a check at a kink says so",
            """
            report = mg.gradcheck(relu, np.array([-1.0, 0.0, 2.0]), raise_on_failure=False)
            [finding.kind for finding in report.findings] == ["kink"]
            """,
        ),
        (
            "and at a tie of a maximum",
            """
            report = mg.gradcheck(largest, ties, raise_on_failure=False)
            [finding.kind for finding in report.findings] == ["kink"]
            """,
        ),
        ("beside them all is right", "mg.gradcheck(relu, away).ok"),
        ("for a maximum with numbers that differ", "mg.gradcheck(largest, different).ok"),
        (
            "at the best step, the derivative of the error is 0",
            """
            eps, h = np.finfo(np.float64).eps, (3 * np.finfo(np.float64).eps) ** (1 / 3)
            np.isclose(h / 3, eps / h**2)
            """,
        ),
    ],
    "03b": [
        (
            "two layers without a bend are one",
            """
            rng = np.random.default_rng(0)
            x, W_1, b_1 = rng.normal(size=3), rng.normal(size=(3, 4)), rng.normal(size=4)
            W_2, b_2 = rng.normal(size=(4, 2)), rng.normal(size=2)
            np.allclose((x @ W_1 + b_1) @ W_2 + b_2, x @ (W_1 @ W_2) + (b_1 @ W_2 + b_2))
            """,
        ),
        (
            "tanh' = 1 - tanh^2",
            """
            x = np.linspace(-2, 2, 9)
            by_differences = (np.tanh(x + 1e-6) - np.tanh(x - 1e-6)) / 2e-6
            np.allclose(by_differences, 1 - np.tanh(x) ** 2)
            """,
        ),
        (
            "no straight line gives the points",
            """
            X = np.concatenate([points, np.ones((40, 1))], axis=1)
            line = X @ np.linalg.lstsq(X, wanted)[0]
            np.mean(np.sign(line) == wanted) < 0.6
            """,
        ),
        ("a network of four bends does", "right == 1"),
        (
            "a small rate is slow, a large one diverges",
            "runs[0.001][1][-1] > 1 and runs[1.0][1][-1] > 1e6 and losses[-1] < 0.2",
        ),
        (
            "equal first weights stay equal",
            """
            equal = [mg.Tensor(np.full(p.shape, 0.5), requires_grad=True) for p in start()]
            for _ in range(20):
                for p in equal:
                    p.grad = None
                np.mean(np.square(network(points, *equal) - wanted)).backward()
                equal = [mg.Tensor(p.data - 0.3 * p.grad.data, requires_grad=True) for p in equal]
            np.ptp(equal[0].data) == 0 and not np.allclose(equal[0].data, 0.5)
            """,
        ),
        (
            "a batch's gradient is that of all, on average",
            "max(off for _, off in agree.values()) < 0.2",
        ),
        (
            "SGD with the same numbers gives the same loss",
            "np.isclose(loss.item(), losses[-1], rtol=1e-3)",
        ),
    ],
    "04": [
        ("a walk that sets a gradient is wrong where a number is used twice", "said == 4"),
        (
            "and one that adds is right",
            """
            w, x, c = Number(3), Number(2), Number(-4)
            s = w * x + c
            walk(s * s)
            (w.grad, x.grad, c.grad) == (8, 12, 4)
            """,
        ),
        (
            "without an order, the walk makes 2^n visits",
            "counts == [2 ** (n + 1) - 1 for n in range(1, len(counts) + 1)]",
        ),
        (
            "with one, it visits each node once",
            "in_order == [n + 1 for n in range(1, len(in_order) + 1)]",
        ),
        (
            "and walks a chain that is too long for a recursion",
            """
            def through(kind, walk):
                x = y = kind(1.0)
                for _ in range(20_000):
                    y = y + kind(1.0)
                try:
                    walk(y)
                except RecursionError:
                    return None
                return x.grad
            through(Number, walk) is None and through(Ordered, walk_in_order) == 1
            """,
        ),
        ("a bias gets a gradient for each row", "wrong_shape == (3, 2)"),
        (
            "until the broadcast is undone",
            "undo_broadcast(np.ones((3, 2)), (2,)).tolist() == [3, 3]",
        ),
        (
            "rules of a product of batches",
            """
            a, b = Array(rng.normal(size=(2, 3, 4))), Array(rng.normal(size=(4, 2)))
            walk_with_rules(a @ b)
            ones = np.ones((2, 3, 2))
            of_a = slopes(lambda x: x @ b.value, ones, a.value)
            of_b = slopes(lambda x: a.value @ x, ones, b.value)
            np.allclose(a.grad, of_a) and np.allclose(b.grad, of_b)
            """,
        ),
        ("a repeated index loses one with +=", "lost.tolist() == [0, 0, 10]"),
        (
            "and none with np.add.at",
            "added_at((3,), np.array([2, 2]), np.array([1.0, 10.0])).tolist() == [0, 0, 11]",
        ),
        ("minigrad's gradient is the same", "np.allclose(mine, x.grad, atol=1e-6)"),
        ("the engine has at most 120 lines", "len(code) <= 120"),
        ("and trains a network", "right > 0.98"),
    ],
    "05": [
        ("king - man + woman = queen", 'np.allclose(made, words["queen"], rtol=0, atol=1e-15)'),
        ("the cosine of king and queen is 0.948", "round(kings, 3) == 0.948"),
        ("that of man and woman is 0.927", "round(people, 3) == 0.927"),
        ("and not 0.98, as published", "not np.isclose(alike[0, 1], 0.98, atol=0.03)"),
        ("nor 0.99", "not np.isclose(alike[2, 3], 0.99, atol=0.03)"),
        ("near a third means near each other", "(between >= 2 * c**2 - 1 - 1e-9).all()"),
        ("two cosines of 0.9 in a chain force 0.62", "round(fan[2], 2) == 0.62"),
        ("three 0.22, four nothing", "round(fan[3], 2) == 0.22 and fan[4] < 0"),
        (
            "with random turns n of them give 0.9^n",
            "np.allclose(along.mean(axis=1), 0.9**steps, atol=0.02)",
        ),
        ("no word gets the weight zero", "shares.max() < 3 * shares.min()"),
        (
            "similarity is symmetric",
            """
            X = rng.normal(size=(6, 3))
            np.array_equal(X @ X.T, (X @ X.T).T)
            """,
        ),
        (
            "a plain sum of products is X X^T X",
            """
            X = rng.normal(size=(4, 2))
            plain = [sum((v_i @ v_j) * v_j for v_j in X) for v_i in X]
            np.allclose(plain, X @ X.T @ X)
            """,
        ),
        ("bank of the river moves to the river", "by_river[0, 1] > 2 * by_river[0, 0]"),
        ("y_i = sum_j softmax_j(v_i . v_j) v_j", "np.allclose(y_bank, by_river[0])"),
        ("trained vectors have the similarities asked for", "np.abs(cosines(E) - S).max() < 0.01"),
        ("where their rank allows it", "np.linalg.matrix_rank(S) == 4"),
        ("and geometry does", "abs(losses[-1] - best) < 1e-4"),
        ("the first flaw stays", "np.isclose(apart, 2 * both**2 - 1, atol=1e-3)"),
        ("the most frequent pair is merged first", 'merged[0] == ("es", 9)'),
        (
            "and some merges later a frequent word is whole",
            '"low" in [piece for piece, _ in merged]',
        ),
        (
            "one-hot times a table is the look-up",
            "np.allclose((one_hot @ table).detach(), table[ids].detach())",
        ),
        ("with the same gradient", "np.allclose(by_product, by_index)"),
    ],
    "06": [
        (
            "a recurrent state depends on all inputs so far, and on none after",
            "np.array_equal(rnn(changed).detach()[0, :2], states.detach()[0, :2])",
        ),
        (
            "the cell is tanh(x W + b + h U)",
            "np.allclose(states.detach()[0, 1], by_hand.detach(), atol=1e-6)",
        ),
        ("Bahdanau's weights sum to one over j, for each i", "np.allclose(a.sum(axis=1), 1)"),
        (
            "c_i = sum_j a_ij h_j with s_ij = tanh([d_i ; h_j] W) v",
            "np.allclose(context, c)",
        ),
        ("over the other index they do not sum to one", "not np.allclose(wrong.sum(axis=1), 1)"),
        (
            "and the mean of equal states is another",
            "not np.allclose(wrong @ np.ones((S, 1)), 1, atol=0.1)",
        ),
        ("and a single output cannot choose", "np.array_equal(only, np.ones((1, S)))"),
        (
            "and the first context depends on later steps",
            "not np.allclose(of_first(later, 0), of_first(s, 0), atol=0.01)",
        ),
        ("one last state gives back two symbols", "right[False][1] > 95"),
        ("but not twelve", "right[False][11] < 70"),
        ("with attention all come back", "min(right[True]) > 95"),
        ("the alignment of a reversal is the anti-diagonal", "share > 0.98"),
        ("with nearly all of the weight", "on_it > 0.8"),
        ("Luong's dot, general and concat", "np.allclose(all_at_once, each)"),
        ("additive is concat from S + T maps", "np.allclose(in_parts, all_pairs(d, h))"),
        (
            "and mt.Additive computes it",
            """
            additive = mt.Additive(D, hidden=K).astype(np.float64)
            joined = np.concatenate([additive.query, additive.key]).detach()  # (2D, K)
            of_pair = lambda d, h: np.tanh(np.concatenate([d, h]) @ joined) @ additive.vector.detach()
            each = [[of_pair(d_i, h_j)[0] for h_j in h] for d_i in d]
            np.allclose(additive(d, h).detach(), each)
            """,
        ),
        (
            "concat multiplies S T times by W",
            'count(concat_scores, (T, D), (S, D), (2 * D, K), K) == expected["concat"]',
        ),
        (
            "additive S + T times, and by v for each pair",
            'count(additive_scores, (T, D), (S, D), (D, K), (D, K), K) == expected["additive"]',
        ),
        (
            "mapping first takes S + T maps and one product",
            'count(mapped_scores, (T, D), (S, D), (D, K), (D, K)) == expected["mapped, then dot"]',
        ),
        ("f(d) . g(h) compares sizes", "sizes_alike.argmax(axis=1).tolist() == [0, 1]"),
        (
            "a width-3 convolution needs a layer for each word of distance",
            "[layers_needed(n + 1) for n in range(1, 20)] == list(range(1, 20))",
        ),
        (
            "the gradient that reaches the first word of a recurrent network vanishes",
            "arriving[network][5] < 1e-4",
        ),
        ("that of attention does not", "arriving[looks][5] > 1e-2"),
        ("which is far quicker", 'taken["concat"][-1] > 5 * taken["mapped, then dot"][-1]'),
    ],
    "07": [
        (
            "W_Q and W_K are the transposes of six rows of three",
            """
            W_Q = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0], [2, 0, 0]]).T
            W_K = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 5], [0, 0, 3], [0, 0, 5], [2, 0, 0]]).T
            np.allclose(products, (X @ W_Q) @ (X @ W_K).T)
            """,
        ),
        (
            "the products of v1's query with the six keys",
            "np.allclose(products[0], [6, 5.7, 0, 0, -6, 3])",
        ),
        (
            "the weights of v1",
            "np.allclose(A[0], [0.424, 0.375, 0.037, 0.037, 0.003, 0.125], atol=5e-4)",
        ),
        ("v3 gives the same weight to all", "np.allclose(A[2], 1 / 6)"),
        ("the output of v6", "np.allclose(Y[5], [0.636, 0.324, 0.136], atol=5e-4)"),
        ("and brought to length one", "np.allclose(after[5], [0.876, 0.445, 0.188], atol=5e-4)"),
        ("the cosine of v6 and v3 is 0.58 before", "round(alike_before[5, 2], 2) == 0.58"),
        ("and 0.84 after: it did not leave v3", "round(alike_after[5, 2], 2) == 0.84"),
        ("nor v4", "alike_after[5, 3] > alike_before[5, 3]"),
        ("and it moved towards v1 as well", "alike_after[5, 0] > alike_before[5, 0]"),
        ("measured to where v3 was, it went away", "round(to_where_it_was, 2) == 0.45"),
        ("W_Q W_K^T", "np.array_equal(M, [[6, 0, 0], [0, 0, 0], [0, 0, 5]])"),
        ("is symmetric here", "np.array_equal(M, M.T)"),
        ("so the scores are too", "np.allclose(products, products.T)"),
        ("gradient descent finds matrices that do the same", "losses[-1] < 1e-10"),
        ("with the same product", "np.allclose(path[-1], M, atol=0.05)"),
        ("it attends to ball strongly", "((words @ asks) @ (words @ is_asked).T)[it, ball] == 4"),
        ("and ball to it weakly", "((words @ asks) @ (words @ is_asked).T)[ball, it] == 0"),
        (
            "in weights too",
            """
            weights = softmax((words @ asks) @ (words @ is_asked).T)
            weights[it, ball] > 3 * weights[ball, it]
            """,
        ),
        ("though before they are mapped they are perpendicular", "words[it] @ words[ball] == 0"),
        ("with W_Q = W_K the scores cannot differ", "np.allclose(shared, shared.T)"),
        ("though the weights can", "not np.allclose(one_for_both, one_for_both.T, atol=0.01)"),
        ("keys that drop the second number give all one score", "np.ptp(meaning @ find) == 0"),
        ("so that all are found alike", "np.allclose(found, 1 / 3)"),
        ("values that keep it deliver opposites", "(meaning @ deliver)[:2, 0].tolist() == [1, -1]"),
        (
            "scores times 0 give the mean of all values",
            "np.isclose(softmax(0 * (keys @ warm)) @ values, np.mean(values))",
        ),
        (
            "times 64 very nearly a look-up",
            'np.isclose(softmax(64 * (keys @ warm)) @ values, degrees["hot"])',
        ),
        (
            "and those between approach it",
            """
            out = [softmax(factor * (keys @ warm)) @ values for factor in (0, 1, 4, 16, 64)]
            (np.diff(out) > 0).all()
            """,
        ),
        ("queries may come from elsewhere", "guess[0, 0] > 4 > guess[1, 0] > 2 > guess[2, 0]"),
        ("how an output moves with the scores is a variance", "np.isclose(slope, variance)"),
        (
            "time flies like an arrow: the shapes of queries, keys and values",
            "[t.shape for t in (x, q, k, v)] == [(T, D), (T, K), (T, K), (T, V)]",
        ),
        (
            "of scores, weights and output",
            "[t.shape for t in (scores, weights, y)] == [(T, T), (T, T), (T, V)]",
        ),
    ],
    "08": [
        ("equal products: the mean of the values", "first.tolist() == [3, 2]"),
        ("plain sums are X X^T X", "np.allclose(plain_sums, X @ X.T @ X)"),
        (
            "with three maps and no softmax: the sum of (q . k_t) v_t",
            "np.allclose([sum((q_i @ k_t) * v_t for k_t, v_t in zip(k, v)) for q_i in q], q @ k.T @ v)",
        ),
        ("they grow without end", "sums.max() > 1e50"),
        ("and means do not", "means.max() <= 1"),
        ("algorithm 3: one query", "np.allclose(rows[2], one_query(x[2], z)[0])"),
        ("its weights", "np.allclose(weights[2], one_query(x[2], z)[1])"),
        ("queries and keys share a width", "queries.shape[1] == keys.shape[1] == K"),
        ("keys and values share a length", "len(keys) == len(values) == S"),
        ("what does not fit is refused", "all(refused)"),
        ("the output has the queries' length and the values' width", "rows.shape == (T, V)"),
        ("the library agrees with algorithm 4", "np.allclose(by_library, rows)"),
        ("Var(x . y) grows as C d", "np.allclose(variance, C * np.array(wide), rtol=0.05)"),
        ("and stays C after scaling", "np.allclose(scaled_variance, C, rtol=0.05)"),
        (
            "in general it is d sigma^4, and sigma^4 after",
            """
            x, y = rng.normal(0, 1.5, size=(2, 100_000, 8))
            plain = (x * y).sum(axis=1)
            np.allclose([plain.var(), (plain / 8**0.5).var()], [8 * 1.5**4, 1.5**4], rtol=0.05)
            """,
        ),
        (
            "saturation takes the softmax's gradient",
            "0.28 < plain_slope[-1] / plain_slope[0] < 0.41",
        ),
        ("and scaling keeps it", "max(scaled_slope) < 1.2 * min(scaled_slope)"),
        (
            "exp overflows beyond 709",
            """
            with np.errstate(over="ignore"):
                infinite = np.isinf(np.exp(710.0)) and np.isinf(np.exp(np.float32(89)))
            infinite and np.isfinite(np.exp(709.0)) and np.isfinite(np.exp(np.float32(88)))
            """,
        ),
        ("the maximum taken off mends it", "np.allclose(softmax(large), [0.25, 0.75])"),
        ("saturation is not overflow", "np.isfinite(softmax(apart)).all()"),
        ("and stays", "slope < 1e-16"),
        ("masked before: the rest sum to one", "np.isclose(before(other).sum(), 1)"),
        ("masked after: they do not", "np.isclose(after(np.zeros(4)).sum(), 3 / 4)"),
        (
            "and what is hidden still counts",
            """
            loud = np.array([2.0, 1, 0, 5])
            np.array_equal(before(loud), before(other)) and not np.allclose(after(loud), after(other))
            """,
        ),
        ("nothing to choose from: NaN by minus infinity", "np.isnan(by_infinity).all()"),
        ("and NaN spreads: 0 times it is NaN", "np.isnan(0 * by_infinity).all()"),
        ("everything by a large number", "np.allclose(by_large_number, 1 / 4)"),
        ("zeros here", "np.array_equal(masked.data[1], np.zeros(V))"),
        ("and finite gradients", "np.isfinite(asking.grad.data).all()"),
        (
            "outputs lie in the convex hull",
            "(reached > 0).all() and (reached.sum(axis=1) < 2).all()",
        ),
        ("which is no box", "needed(1.5, 1.5).min() < 0"),
        ("corners are a limit", "0 < 2 - sharper[-1][0] < 1e-6"),
        ("a mask reaches an edge", "0 < on_edge[0] < 2 and on_edge[1] == 0"),
        ("W_O gets outside", "np.allclose(needed(0.75, 0.75) @ corners @ W_O, [1.5, 1.5])"),
    ],
    "09": [
        (
            "each head is (T, V)",
            """
            heads = [mt.attention(X @ q, X @ k, X @ v)[0] for q, k, v in zip(W_Q, W_K, W_V)]
            [head.shape for head in heads] == [(len(X), W_V.shape[-1])] * len(W_V)
            """,
        ),
        (
            "joined and projected they are (T, D)",
            """
            heads = [mt.attention(X @ q, X @ k, X @ v)[0] for q, k, v in zip(W_Q, W_K, W_V)]
            (np.concatenate(heads, axis=1) @ W_O).shape == X.shape
            """,
        ),
        ("the layer computes Concat(head_1 ... head_H) W_O", "np.allclose(by_layer[0], output)"),
        (
            "concatenate-then-project is a sum of per-head projections",
            """
            heads = [mt.attention(X @ q, X @ k, X @ v)[0] for q, k, v in zip(W_Q, W_K, W_V)]
            apart = sum(head @ block for head, block in zip(heads, blocks))
            np.allclose(apart, np.concatenate(heads, axis=1) @ W_O)
            """,
        ),
        (
            "added heads can compute all that joined ones do",
            "np.allclose(added(X[None], X[None])[0], by_layer)",
        ),
        ("at another cost: joined", "joined == 4 * 512**2"),
        ("and added", "summed == (2 + 8) * 512**2"),
        ("and it learns as well", "min(right(adding)) > 99"),
        ("one head fails", "min(right(models[1])) < 60"),
        ("several do not", "min(right(models[4])) > 99"),
        ("they divide the work", "{job[0] for job in jobs} == set(QUESTIONS)"),
        (
            "ablation: each of three heads answers one question",
            "((lost[3] < 30).sum(axis=1) == 1).all()",
        ),
        ("and is not needed for the others", "((lost[3] > 99).sum(axis=1) == 2).all()"),
        ("a head whose work is done twice costs less", "min(alone) > 50"),
        (
            "a head's part left out is its rows of W_O at zero",
            """
            W_O, V = models[4].attention.output.weight, 12
            whole = W_O.data.copy()
            W_O.copy_(whole * (np.arange(48) >= V)[:, None])
            cut = right(models[4])
            W_O.copy_(whole)
            np.allclose(cut, lost[4][0], atol=0.1)
            """,
        ),
        (
            "cut apart by reshape and swapaxes",
            "np.array_equal(cut, [[[1, 2, 3], [4, 5, 6]], [[10, 20, 30], [40, 50, 60]]])",
        ),
        (
            "by its mean, a constant that a head adds does not count",
            'np.allclose(cut_out["with a constant", "mean"], cut_out["as trained", "mean"], atol=0.1)',
        ),
        (
            "by zero, it does",
            'np.mean(cut_out["with a constant", "zero"]) < np.mean(cut_out["as trained", "zero"]) - 10',
        ),
        ("of 12 heads most can go, one at a time", "len(spare) > 6"),
        ("but not all of these at once", "min(all_spare_out) < 80"),
        ("half of them can go at once", "min(pruned[6]) > 90"),
        ("fewer than three cannot do it", "min(pruned[2]) < 80"),
        (
            "attention is a convolution whose kernel has the same value in every column",
            "np.allclose(by_head, convolve(x, same_in_every_column))",
        ),
        ("a convolution can subtract", "np.allclose(convolve(constant, change), 0)"),
        ("which attention cannot", "np.allclose(A @ constant, 1)"),
        (
            "a convolution can treat channels differently",
            "not np.allclose(convolve(twins, apart)[:, 0], convolve(twins, apart)[:, 1])",
        ),
        ("which attention cannot", "np.allclose((A @ twins).T, (A @ twins)[:, 0])"),
        (
            "many heads can do all of it",
            "np.allclose(np.concatenate(heads, axis=1) @ np.concatenate(list(W)), convolution)",
        ),
    ],
    "10": [
        (
            "and in floats to rounding",
            'np.allclose(without["other"], without["one"][::-1], rtol=0, atol=1e-15)',
        ),
        (
            "without a mask: equivariant",
            "X = np.arange(15.0).reshape(5, 3) / 9\nnp.allclose(attend(P @ X), P @ attend(X))",
        ),
        (
            "and their mean invariant",
            """
            X = np.arange(15.0).reshape(5, 3) / 9
            np.allclose(attend(P @ X).mean(axis=0), attend(X).mean(axis=0))
            """,
        ),
        (
            "a causal mask breaks it",
            """
            X, mask = np.arange(15.0).reshape(5, 3) / 9, masks.causal(5)
            not np.allclose(attend(P @ X, mask), P @ attend(X, mask), atol=0.01)
            """,
        ),
        ("man is [1, 0, 0, 0] first", 'causal["one"][0].tolist() == [1, 0, 0, 0]'),
        (
            "and [.452, .274, .274, 0] last",
            'np.allclose(causal["other"][2], [0.452, 0.274, 0.274, 0], atol=5e-4)',
        ),
        ("[v ; p] W = v W_1 + p W_2", "np.allclose(side_by_side, word @ W_1 + place @ W_2)"),
        (
            "adding is the tied case",
            """
            tied = np.concatenate([W_1, W_1])
            np.allclose(np.concatenate([word, place]) @ tied, (word + place) @ W_1)
            """,
        ),
        (
            "which learns as fast; multiplying does not",
            'min(joined["added"], joined["side by side"]) > 0.93 > 0.85 > joined["multiplied"]',
        ),
        (
            "p1 = 0.8415, 0.5403, 0.0100, 1.0000",
            "np.allclose(positions[1], [0.8415, 0.5403, 0.0100, 1.0000], rtol=0, atol=5e-5)",
        ),
        (
            "p2 = 0.9093, -0.4161, 0.0200, 0.9998",
            "np.allclose(positions[2], [0.9093, -0.4161, 0.0200, 0.9998], rtol=0, atol=5e-5)",
        ),
        (
            "p3 = 0.1411, -0.9900, 0.0300, 0.9996",
            "np.allclose(positions[3], [0.1411, -0.9900, 0.0300, 0.9996], rtol=0, atol=5e-5)",
        ),
        (
            "added to man, as the first word",
            'np.allclose(placed["one"][0], [1.8415, 0.5403, 0.0100, 1.0000], rtol=0, atol=5e-5)',
        ),
        (
            "and as the last",
            'np.allclose(placed["other"][2], [1.1411, -0.9900, 0.0300, 0.9996], rtol=0, atol=5e-5)',
        ),
        ("with one of sine and cosine positions collide", "len(by_height) == 7"),
        ("with both they do not", "len(by_both) == 12"),
        ("a shift by k is a matrix", "np.allclose(table8[:-3] @ found, table8[3:], atol=1e-10)"),
        ("of rotations", "np.allclose(found, expected, atol=1e-4)"),
        ("learned positions end", '"8 learned positions" in refused'),
        (
            "rotary scores depend on the distance alone",
            "all(np.ptp(np.diagonal(rotary_scores, d)) < 1e-12 for d in range(-19, 20))",
        ),
        ("without positions the task fails", 'results["none"][0] < 0.3'),
    ],
    "10b": [
        ("attention made the way short", 'counted["2014"][0] == 8 and counted["2015"][0] == 2'),
        (
            "and a transformer has no chain to wait for",
            'counted["2015"][1] == 8 and counted["2017"][1] == 2',
        ),
        ("column and row conventions are one another's transpose", "np.allclose(columns, rows.T)"),
        ("the weights too", "np.allclose(weights_in_columns, weights.T)"),
        ("softmax(Q K^T) V^T fits neither", "not printed_in_rows and not printed_in_columns"),
        (
            "three positive increasing functions make weights",
            "np.allclose(phi_weights.sum(axis=-1), 1)",
        ),
        (
            "but far below zero only exp makes them",
            """
            of = lambda phi: mt.attention(np.ones((1, 1)), far_below, np.eye(2), phi=phi)[1].sum()
            [of(phi) > 0 for phi in choices.values()] == [True, False, False]
            """,
        ),
        ("in the same order", "np.array_equal(np.argsort(phi_weights, axis=-1), order)"),
        ("the scaled product is symmetric", "np.isclose(inner(x, y), inner(y, x))"),
        ("linear", "np.isclose(inner(2 * x + y, z), 2 * inner(x, z) + inner(y, z))"),
        ("and positive: an inner product", "inner(x, x) > 0"),
        (
            "scores are a bilinear form e^T W_q^T W_k e'",
            """
            e, f = rng.normal(size=(2, C_x))
            np.isclose(score(e, f), e @ form @ f)
            """,
        ),
        (
            "linear in the first",
            """
            e, f, g = rng.normal(size=(3, C_x))
            np.isclose(score(2 * e + f, g), 2 * score(e, g) + score(f, g))
            """,
        ),
        (
            "linear in the second",
            """
            e, f, g = rng.normal(size=(3, C_x))
            np.isclose(score(g, 2 * e + f), 2 * score(g, e) + score(g, f))
            """,
        ),
        (
            "sum_t <k_t, q> k_t is the projection for orthonormal keys",
            "np.allclose(mix(orthonormal, q), projection)",
        ),
        ("and not for others", "not np.allclose(mix(other_keys, q), projection, atol=0.1)"),
        ("except for tight frames", "np.allclose(mix(three, q[:2]), q[:2])"),
        (
            "one Hopfield update is attention",
            """
            update = softmax(damaged @ stored.T / np.sqrt(64)) @ stored
            np.allclose(update, recalled) and np.array_equal(np.sign(recalled)[0], stored[0])
            """,
        ),
        (
            "the residual step is one Euler step",
            "np.allclose(follow(points, 1, 1), points + attend(points))",
        ),
        ("whose error halves with its length", "1.7 < off[0] / off[1] < 2.3"),
        ("repeated, points cluster", "counts[3000] <= 3"),
        (
            "permuting the inputs permutes the outputs, exactly",
            "np.array_equal(attend_exactly(exact[shuffled]), attend_exactly(exact)[shuffled])",
        ),
        ("two published digits are cut", "(cut[0, 3], cut[2, 1]) == (0.9999, -0.9899)"),
        (
            "with sines alone (0,3), (1,2) and (4,5) nearly collide",
            "{(i, j) for *_, i, j in by_distance[:3]} == {(0, 3), (1, 2), (4, 5)}",
        ),
        (
            "with a sine and a cosine the distance decides",
            'np.allclose(apart["one pair"], 2 * np.sin((second - first) / 2))',
        ),
        (
            "published for D = 3",
            """
            off3 == [
                0.76, 0.74, 0.99, 0.79, 0.71, 1.00, 0.85, 0.21, 0.09, 0.83, 0.17, 0.05, 0.70, 0.61, 0.99,
            ]
            """,
        ),
        (
            "published for D = 512",
            """
            off512 == [
                0.97, 0.91, 0.83, 0.77, 0.74, 0.97, 0.91, 0.83, 0.77, 0.97, 0.91, 0.83, 0.97, 0.91, 0.97,
            ]
            """,
        ),
        ("the variant at D = 3", 'np.array_equal(in_pairs(alike["encoding_off", 3]), off3)'),
        ("and at D = 512", 'np.array_equal(in_pairs(alike["encoding_off", 512]), off512)'),
        ("where the paper agrees", 'np.array_equal(in_pairs(alike["encoding", 512]), off512)'),
        ("but not at D = 3", 'not np.allclose(in_pairs(alike["encoding", 3]), off3, atol=0.1)'),
        ("as the angles of a pair differ by 21.5", "10000 ** (1 / 3) > 21"),
        ("or by 1.018", "10000 ** (1 / 512) < 1.02"),
        (
            "a ramp draws all attention to the end",
            'looks["a ramp"][:, -10:].sum(axis=1).mean() > 0.5',
        ),
        ("and is lost in a layer norm", "np.allclose(*same, atol=1e-12)"),
    ],
    "11": [
        (
            "layer norm composed of operations is the library's",
            """
            x = rng.normal(3, 10, size=(4, 6))
            np.allclose(layer_norm(x, np.ones(6), np.zeros(6)), mt.LayerNorm(6)(x).detach())
            """,
        ),
        (
            "norms keep gradients alike, with and without residuals",
            "all(0.1 < ratio[norm, r] < 10 for norm in norms[:2] for r in (True, False))",
        ),
        ("with neither they vanish", 'ratio["no norm", False] < 1e-4'),
        ("with residuals alone they explode", 'ratio["no norm", True] > 30'),
        (
            "by Pythagoras, since the two parts of the gradient are nearly perpendicular",
            "abs(grows - np.sqrt(1 + shrinks**2)) < 0.08",
        ),
        ("24 times 1.19 is about 70", "abs(np.hypot(1, 0.65) ** 24 - 70) < 5"),
        (
            "measured are 1.21, and about 90",
            'abs(grows - 1.21) < 0.01 and abs(ratio["no norm", True] - 90) < 10',
        ),
        (
            "not because x grows: the Jacobians at x and at 100 x are the same",
            """
            f = feed_forward().astype(np.float64)
            x = rng.normal(size=D)
            np.allclose(mg.jacobian(f)(x).data, mg.jacobian(f)(100 * x).data)
            """,
        ),
        ("without a last norm the first loss is higher", "unnormed > normed + 0.2"),
        (
            "pre-norm and post-norm differ",
            'ratio["pre-norm", True] > 2 * ratio["post-norm", True] > 1',
        ),
        (
            "without residuals all words become alike",
            "min(alike[norm, False][2] for norm in norms[:2]) > 0.95",
        ),
        (
            "the variance of y = x W is D Var(x) Var(w)",
            """
            x, w = rng.normal(0, 3, size=(2000, 200)), rng.normal(0, 0.1, size=(200, 50))
            abs(np.var(x @ w) / (200 * 9 * 0.01) - 1) < 0.05
            """,
        ),
        (
            "a relu halves the mean square",
            "abs(np.mean(np.square(np.maximum(rng.normal(size=100_000), 0))) - 0.5) < 0.02",
        ),
        ("equal weights stay equal", "np.array_equal(into.data[:, 0], into.data[:, 1])"),
        (
            "gradients shrink with the depth before the norm, and not after it",
            """
            shrunk = {n: first_gradients[n, 32] / first_gradients[n, 2] for n in norms[:2]}
            shrunk["pre-norm"] < 0.6 and shrunk["post-norm"] > 1
            """,
        ),
    ],
    "11b": [
        (
            "its gradient, with a gain that is not uniform",
            """
            x = mg.Tensor(rng.normal(3, 10, size=(4, 6)), requires_grad=True)
            gain, bias, g = rng.normal(size=6), rng.normal(size=6), rng.normal(size=(4, 6))
            layer_norm(x, gain, bias).backward(g)
            x_hat, scale = normalised(x.data)
            np.allclose(x.grad, without_the_lost(gain * g, x_hat) / scale)
            """,
        ),
        ("against finite differences", "mg.gradcheck(layer_norm, words, gain, bias).ok"),
        ("a rule right for uniform gains only passes with those", 'reports["all gains equal"].ok'),
        ("and is found with others", 'not reports["gains that differ"].ok'),
        (
            "its steps by hand give the same: three numbers",
            """
            d = np.array([-1.0, -1.0, 2.0])
            s, g = np.sqrt(np.mean(d**2)), np.array([1.0, 0.0, 0.0])
            g_s = -np.sum(g * d / s**2)
            g_d = g / s + g_s * d / (3 * s)
            np.allclose(g_d - g_d.mean(), small.grad, atol=1e-6)
            """,
        ),
        (
            "a word is normalised by itself",
            "np.array_equal(layer_norm(other, 1.0, 0.0)[0], layer_norm(batch, 1.0, 0.0)[0])",
        ),
        (
            "under batch norm it depends on the batch",
            "not np.allclose(batch_norm(other)[0], batch_norm(batch)[0], atol=0.05)",
        ),
        ("attention mixes words", '(heard["attention"] > 0).all()'),
        (
            "the feed-forward layer works within one",
            '(heard["feed-forward"][between_words] == 0).all()',
        ),
        ("and computes what attention cannot", "np.allclose(says, wanted, atol=0.05)"),
        ("dropout leaves the mean", "abs(np.mean(threes) - 3) < 0.1"),
        ("and is off in use", "np.array_equal(in_use, [3, 3, 3])"),
        (
            "with dropout the error on new examples is smaller",
            "after[0.25][1] < 0.8 * after[0.0][1]",
        ),
    ],
    "12": [
        ("the whole model, step by step", "np.array_equal(by_hand.data, logits.data)"),
        (
            "the causal and the padding mask, joined",
            "np.array_equal(may_look_back[1, 0], masks.causal(7) & (target[1] != 0))",
        ),
        ("a future token changes no bit", "np.array_equal(after.data[0, :4], logits.data[0, :4])"),
        ("nor does a padded one", "np.array_equal(after.data[1], logits.data[1])"),
        (
            "every output depends on what the masks say",
            "np.array_equal(depends[:, 5:], masks.causal(4))",
        ),
        (
            "for words the causal mask hides what the target's padding mask hides",
            "np.array_equal(may_look_back[1, 0, :4], masks.causal(7)[:4])",
        ),
        ("parameters by module as by the formula", "counted == expected"),
        ("63 million for the base model", "round(total / 1e6) == 63"),
        (
            "the last map is x W_voc, with W_voc of shape (D, N)",
            "model.unembedding.weight.shape == (D, len(target_words))",
        ),
    ],
    "13": [
        ("targets are shifted by one", "np.array_equal(read[0, 1:], write[0, :-1])"),
        ("padding is ignored in the loss", "(logits.grad.data[~asked] == 0).all()"),
        ("the gradient is p less the target", "np.allclose(z.grad, [0.7, -0.8, 0.1])"),
        (
            "on a batch, too, padding left out",
            """
            some, seen = mg.Tensor(rng.normal(size=(*read.shape, N)), requires_grad=True), read != 0
            cross_entropy(some, read, ignore_index=0).backward()
            p = np.exp(some.data) / np.sum(np.exp(some.data), axis=-1, keepdims=True)
            np.allclose(some.grad.data[seen], (p - np.eye(N)[read])[seen] / seen.sum())
            """,
        ),
        (
            "perplexity is exp(loss): N for an even guess",
            "np.isclose(math.exp(evenly), N)",
        ),
        (
            "the first loss is near log N",
            "abs(first_loss[1] - math.log(N)) < 0.5 and abs(memorised[0] - math.log(N)) < 1",
        ),
        ("far above it where scores are large", "first_loss[16] > 3 * math.log(N)"),
        (
            "Adam by hand is the library's",
            "np.allclose(two.data, adam_path(gradients, 0.1, (0.9, 0.98))[-1])",
        ),
        (
            "with bias correction its first step is the learning rate",
            "np.allclose(adam_path([np.array([1000, 1e-3])], 0.1, (0.9, 0.999)), -0.1)",
        ),
        (
            "without, it is 3.16 or 0.71 times that",
            """
            found = [adam_path([1.0], 1, (0.9, b), corrected=False)[0] for b in (0.999, 0.98)]
            np.allclose(found, [-(10**0.5), -(0.5**0.5)])
            """,
        ),
        (
            "and for a hundred steps three to seven times",
            """
            sizes = step_sizes["0.999, without correction"][:100]
            3 < sizes.min() and sizes.max() < 7
            """,
        ),
        (
            "label smoothing",
            """
            logits, right_ones = rng.normal(size=(4, 5)), np.array([1, 2, 3, 4])
            log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
            target = 0.9 * np.eye(5)[right_ones] + 0.1 / 5
            loss = cross_entropy(logits, right_ones, label_smoothing=0.1).item()
            np.isclose(loss, -np.sum(target * log_p, axis=-1).mean())
            """,
        ),
        ("is least at 1 - e + e / N", "np.isclose(lowest[0.1], 0.9 + 0.1 / N, atol=1e-3)"),
        ("the warm-up of the paper", "np.isclose(peak, (512 * 4000) ** -0.5)"),
        ("clipping", "np.allclose(parameter.grad, [1.5, 2.0])"),
        ("one batch is memorised", "memorised[-1] < 0.05"),
        ("copy is learned", 'right["all parts"] > 0.5'),
        ("without scaling worse", 'final["no scaling"] > final["all parts"]'),
        ("without positions not", 'right["no positions"] < 0.2'),
        (
            "without warm-up more slowly",
            'np.mean(results["no warm-up"][0]) > np.mean(results["all parts"][0])',
        ),
        ("without residuals not", 'right["no residuals"] < 0.2'),
        (
            "without the causal mask the loss is the best",
            'final["no causal mask"] < final["all parts"]',
        ),
        ("and nothing is right", 'right["no causal mask"] < 0.05'),
        ("so it is without the shift", 'final["no shift"] < final["all parts"]'),
        ("and nothing is right there", 'right["no shift"] < 0.05'),
        ("dates begin to be learned", "run.curve[-1].loss < run.curve[0].loss / 3"),
    ],
    "13b": [
        ("the results are minigrad's", "apart < 1e-6"),
        ("every gradient is minigrad's", "furthest < 1e-6"),
        ("ids that are not read get no gradient", "at_rest.tolist() == [0, 2]"),
        ("the transformer learns its task", "right > 0.9"),
        (
            "along the same losses as on minigrad",
            "np.allclose(losses[:10], theirs[:10], rtol=1e-6)",
        ),
    ],
    "14": [
        (
            "greedy by hand as in the library",
            "[write(text, np.argmax) for text in texts] == reader.read(texts)",
        ),
        ("a maximum length", 'len(write("3 J? 1998", np.argmax, longest=4)) == 4'),
        (
            "temperature",
            """
            p = np.array([0.5, 0.3, 0.15, 0.05])
            theirs = decoding.distribution(np.log(p)[None], temperature=0.5)
            np.allclose(with_temperature(p, 0.5), theirs)
            """,
        ),
        ("to 0 is greedy", "np.allclose(with_temperature(p, 0.01), [1, 0, 0, 0])"),
        (
            "top-k",
            """
            p = np.array([0.5, 0.3, 0.15, 0.05])
            np.allclose(top_k(p, 2), decoding.distribution(np.log(p)[None], top_k=2))
            """,
        ),
        (
            "top-p",
            """
            p = np.array([0.5, 0.3, 0.15, 0.05])
            np.allclose(top_p(p, 0.9), decoding.distribution(np.log(p)[None], top_p=0.9))
            """,
        ),
        ("draws as likely as they should be", 'shares["3 Ju? 1998"][[5, 6]].sum() > 0.8'),
        ("greedy misses the best", 'list(beam(tree, 1)) == ["aa"]'),
        ("which a beam finds", 'next(iter(beam(tree, 2))) == "bb"'),
        ("the length penalty", "penalised(-3.0, 5, 1) < penalised(-3.5, 10, 1)"),
        (
            "the cache changes nothing",
            "np.allclose(scores.data[0, 0], expected, rtol=0, atol=1e-10)",
        ),
        (
            "nor what is written",
            """
            np.array_equal(
                decoding.greedy(model, ids, 12), decoding.greedy(model, ids, 12, cached=False)
            )
            """,
        ),
        ("and is faster", "faster > 2"),
        ("each part of a date is read where it stands", "share > 1.3 * len(part) / len(text)"),
        ("and the weekday hardly", 'share_of("Tuesday", range(10)) < 0.5 * 7 / 30'),
    ],
    "15": [
        (
            "encoder-decoder and encoder-only have post-norm layers",
            """
            stacks = translator.encoder, guesser.encoder
            layers = [layer for stack in stacks for layer in stack.layers]
            not any(layer.residual1.pre or layer.residual2.pre for layer in layers)
            """,
        ),
        (
            "decoder-only has pre-norm layers, and a final norm",
            """
            pre = all(layer.residual1.pre and layer.residual2.pre for layer in writer.stack.layers)
            pre and isinstance(writer.stack.norm, mt.LayerNorm)
            """,
        ),
        (
            "encoder-only, opened, to the last bit",
            """
            ids = np.array([letters.encode("statement")])
            x = guesser.embedding(ids) * math.sqrt(48) + guesser.positions.table(np.arange(9))
            for layer in guesser.encoder.layers:
                x = post_norm(layer, x, masks.padding(ids))
            x = guesser.norm(gelu(guesser.final(x)))
            np.array_equal(guesser.unembedding(x).data, guesser(ids).data)
            """,
        ),
        (
            "decoder-only, opened, to the last bit",
            """
            ids = np.array([letters.encode("statement")])
            x = writer.embedding(ids) * math.sqrt(64) + writer.positions.table(np.arange(9))
            for layer in writer.stack.layers:
                x = pre_norm(layer, x, masks.causal(9))
            x = writer.stack.norm(x)
            np.array_equal(writer.unembedding(x).data, writer(ids).data)
            """,
        ),
        (
            "gelu is x times the normal numbers below x",
            "np.allclose(gelu(xs), counted_below, atol=0.02)",
        ),
        ("encoder-only sees everything", 'hears["encoder-only"].all()'),
        ("decoder-only what came before", 'np.array_equal(hears["decoder-only"], causal)'),
        (
            "encoder-decoder all of the source too",
            """
            both = np.concatenate([causal | True, causal], axis=1)
            np.array_equal(hears["encoder-decoder"], both)
            """,
        ),
        ("a character model beats counting pairs", "np.mean(curve[-50:]) < 0.9 * by_counting[1]"),
        ("on held-out text too", "on_held_out < by_counting[1]"),
        ("masked tokens are filled in", "accuracy > 2 * frequent"),
        ("sequence to sequence", "share > 0.4"),
    ],
    "16": [
        ("two look-ups find what followed", 'rule("mdkbtdk") == 3'),
        ("in another sequence, too", 'rule("tapsta") == 2'),
        ("a score of a first layer sees one position", "np.flatnonzero(changed).tolist() == [2]"),
        (
            "two heads by hand go on with k",
            "two_heads(X)[0][5, letters.index('k')] > 0.99",
        ),
        ("and then with b", "two_heads(X)[0][6, letters.index('b')] > 0.99"),
        ("without the notes the second takes a mean", "np.allclose(even[6], 1 / 7)"),
        ("and without the second there is no answer", "not no_answer.any()"),
        (
            "the place and the distance of the part are drawn anew",
            """
            rows, following = batch(np.random.default_rng(5), 300)
            at = places_of_answers(rows, following >= 0)
            distances = np.subtract(*np.nonzero(at)[1:])
            len(set(distances)) > 10 and at.any(axis=0).sum() > 150
            """,
        ),
        ("the loss of a guess is ln 24", "np.isclose(guessing, np.log(24))"),
        ("one layer stays near 20 %", "0.15 < reached[1][1] < 0.27"),
        ("and its loss above 2.5", "2.5 < reached[1][0] < guessing"),
        ("which is what positions alone tell", "abs(reached[1][1] - by_position) < 0.06"),
        ("about 2.8, in fact", "abs(reached[1][0] - 2.8) < 0.1"),
        ("two layers come to 97 % and more", "reached[2][1] > 0.97"),
        ("with a loss below 0.2", "reached[2][0] < 0.2"),
        ("both heads come up together", "abs(to_half[0] - to_half[1]) <= 60"),
        (
            "when the loss falls",
            "learned[2][to_half.min() - 100] > 3 * learned[2][to_half.max() + 100]",
        ),
        ("the first head looks one back", "to_previous > 0.6"),
        ("everywhere in the row shown", "(np.argmax(first[1:], axis=1) == np.arange(18)).all()"),
        ("the second looks for what followed", "to_follower > 0.9"),
        ("without the first the copy is lost", 'table["without head 1"][1] < 0.15'),
        ("without the second, too", 'table["without head 2"][1] < 0.15'),
        ("with a loss above 8 without the first", 'table["without head 1"][0] > 8'),
        ("and above 4 without the second", 'table["without head 2"][0] > 4'),
        ("the note travels through the keys", 'by_way["key"] > 0.97'),
        ("and through nothing else", 'max(by_way["query"], by_way["value"]) < 0.15'),
    ],
    "17": [
        (
            "a gradient's graph is differentiated",
            """
            x = mg.Tensor(0.8, requires_grad=True, dtype=np.float64)
            np.sin(np.square(x)).backward(create_graph=True)
            slope, x.grad = x.grad, None
            slope.backward()
            np.isclose(x.grad.item(), 2 * math.cos(0.64) - 4 * 0.64 * math.sin(0.64))
            """,
        ),
        ("to any order", "np.allclose(sine, [*cycle, *cycle])"),
        (
            "Hessian-vector products",
            """
            f = lambda x: np.sum(np.tanh(x) * np.roll(x, 1))
            x, v = rng.normal(size=(2, 30))
            np.allclose(hessian_times(f, x, v), mg.hessian(f)(x).data @ v)
            """,
        ),
        (
            "cost less than the Hessian",
            'timed["Hessian"][-1] > 10 * timed["Hessian times a vector"][-1]',
        ),
        ("Newton's method", "errors[-1] < 1e-12"),
        (
            "whose error is squared at each step",
            """
            x = np.float64(math.log(2) + 0.01)
            new = x - slope_at(x).item() / bend_at(x).item() - math.log(2)
            np.isclose(new / 0.01**2, 0.5, rtol=0.01)
            """,
        ),
        (
            "jvp by two vjps",
            """
            x, v = np.array([0.7, -0.4]), np.array([1.0, 0.5])
            np.allclose(forward_derivative(swirl, x, v), mg.jvp(swirl, x, v)[1])
            """,
        ),
        ("a Jacobian by rows and by columns", "np.allclose(by_rows, by_columns)"),
        (
            "reverse mode keeps the values of every step",
            'peaks["backwards", 40] > 1.7 * peaks["backwards", 20]',
        ),
        ("forward mode none", 'peaks["forwards", 40] < 1.1 * peaks["forwards", 20]'),
        ("a gradient penalty", "off[1] < 0.75 * off[0]"),
    ],
    "18": [
        ("the gradient of a sum is the sum of the gradients", "whole == sum(halves) == -18"),
        (
            "to the engine, a weight that two parts use",
            "sorted(share.fitted.item() for share in to_w) == [-20, 2]",
        ),
        (
            "the same on an interactive page",
            '"both = first + second" in page.read_text("utf-8")',
        ),
        ("means count by the sizes of their parts", "np.isclose(weighted, whole / 4)"),
        ("a mean of means is another", "not np.isclose(mean_of_means, whole / 4, atol=0.5)"),
        ("parts of as many pairs have different numbers of symbols", "len(set(written)) == 4"),
        ("whose shares add up to the loss", "np.isclose(sum(shares), of_batch, rtol=1e-5)"),
        ("floats do not add in any order", "set(found) == {0, 1, 2}"),
        ("gradients neither", "0.1 < differ < 0.9"),
        ("two runs drift apart after one other last bit", "apart[-1] > 10 * apart[0] > 0"),
        (
            "the order of the tree follows from the number of parts",
            """
            pair = lambda one, other: f"({one}{other})"
            [tree("abcdef"[:n], pair) for n in (4, 6)] == ["((ab)(cd))", "(((ab)(cd))(ef))"]
            """,
        ),
        (
            "and less is rounded in it",
            "off[from_left][-1] > 20 * off[in_a_tree][-1]",
        ),
        (
            "threads, processes and one alone give the same bits",
            "len(bits) == 4 and len(set(bits.values())) == 1",
        ),
        (
            "weights are sent to each worker once a step",
            'np.isclose(moved["send"], 2 * of_weights, rtol=0.05)',
        ),
        (
            "and a gradient comes back from each part",
            'np.isclose(moved["receive"], 4 * of_weights, rtol=0.05)',
        ),
        ("a process that dies changes no bit", "digest(undisturbed) == digest(with_death)"),
        ("though its part was begun twice", '(count["compute"], count["dies"]) == (8, 1)'),
        ("after all rounds of a ring everybody has the sum", "(held[-1] == 4).all()"),
        ("after half of them one chunk each", "(held[3] == 4).sum() == 4"),
        ("a ring sends less than twice the gradient", "sent_by_one == 12e6 < 2 * 8e6"),
        ("for small gradients a tree is quickest", 'quickest[2_500] == "tree"'),
        ("for large ones a ring", 'quickest[175e9] == quickest[WEIGHTS] == "ring"'),
        ("through the centre, few machines pay", 'machines[total["centre"].argmin()] < 10'),
        ("gradients of some steps ago can fail", "abs(paths[5][-10:]).max() > 1"),
    ],
    "19": [
        (
            "1: the cosines are 0.948 and 0.927",
            "(round(royal, 3), round(people, 3)) == (0.948, 0.927)",
        ),
        (
            "2: weights must sum to one over the index of the sum that uses them",
            "np.allclose(right_index.sum(axis=0), 1)",
        ),
        ("and as printed do not", "np.abs(printed_index.sum(axis=0) - 1).min() > 0.1"),
        (
            "3: the values have no part in the weights",
            "np.array_equal(mt.attention(queries, keys, 10 * values)[1], weights)",
        ),
        ("4: softmax(Q K^T) V^T fits no rows", "not printed_in_rows"),
        ("and no columns", "not printed_in_columns"),
        ("where softmax(Q K^T / sqrt d) V fits rows", "np.allclose(by_rows, output)"),
        ("and V softmax(K^T Q / sqrt d) columns", "np.allclose(by_columns.T, output)"),
        ("5: n columns, m high, are (m, n)", "side_by_side.shape == (m, n) != (n, m)"),
        (
            "6: with one angle for a pair, likeness depends on the distance",
            "np.ptp(at_distance_three(positions(6, 4))) < 0.01",
        ),
        (
            "with the printed one it does not at D = 3",
            "np.ptp(at_distance_three(positions(6, 4, shared=False))) > 0.6",
        ),
        (
            "7: the cosine of v6 and v3 rises from 0.58 to 0.84",
            "(round(before[2], 2), round(after[2], 2)) == (0.58, 0.84)",
        ),
        ("8: the scores are symmetric", "np.array_equal(scores, scores.T)"),
        ("and the weights are not", "not np.allclose(shares, shares.T, atol=0.1)"),
        ("9: three keys of length one give 1.5 q", "np.allclose(gives_back, 1.5 * np.eye(2))"),
        (
            "9: a tight frame gives back every q",
            "np.allclose(three.T @ three, np.eye(2)) and len(three) == 3",
        ),
        (
            "10: exp alone ignores a common shift",
            "[name for name, same in unmoved.items() if same] == ['exp', '2 to the power of']",
        ),
        (
            "11: 0.99995 and -0.98999 were cut",
            "(round(first, 5), round(other, 5)) == (0.99995, -0.98999)",
        ),
        ("to 0.9999 and -0.9899", "cut.tolist() == [0.9999, -0.9899]"),
        ("12: W_voc (D, N) does not multiply a column", "not fits(lambda: W_voc @ x)"),
        ("but a row", "(x @ W_voc).shape == (N,)"),
    ],
    "20": [
        ("the program, run by hand, gives the loss", "by_hand == small_loss(x, t).item()"),
        ("no line of it is dead", 'needed(lines, ["the end"]) == lines'),
        (
            "what nothing needs is not in it",
            """
            small = mg.compile(small_loss, exact=True, at_once=True)
            small(x, t)
            "np.max" not in small.source
            """,
        ),
        (
            "y and y - t are kept for the way back",
            """
            names = [name for name, _ in lines]
            back = names.index("d_t9")
            [name for name in names[:back] if last_use.get(name, 0) > back] == ["y", "t7"]
            """,
        ),
        ("five lines need two buffers", "len(buffers_of(five)) == 2"),
        ("most memory is in use at the turn", "abs(most - compiled_chain.memory().forward) <= 4"),
        (
            "there are far fewer buffers than calls",
            'count["buffers"] < count["calls"] / 8',
        ),
        (
            "a third of the calls work in place",
            '0.2 < count["work in place"] / count["calls"] < 0.5',
        ),
        (
            "the buffers take a fifth of what all results would",
            "exact.memory().peak < exact.memory().alone / 5",
        ),
        ("with exact=True the gradients are the same bits", "np.array_equal(by_exact, itself)"),
        ("and the weights after training", "np.array_equal(plain, compiled)"),
        ("without, most of them are not", "np.mean(by_fast != itself) > 0.5"),
        ("but close", "np.abs(by_fast - itself).max() < 1e-5 * np.abs(itself).max()"),
        ("49 times a 49th is not 1", "49 * (1 / 49) != 1"),
        ("an if on a number is refused, and nothing else", 'list(refused) == ["1"]'),
        ("its line is named", '"if loss > 1" in refused["1"]'),
    ],
    "21": [
        (
            "the glass computes the same loss",
            "np.isclose(watched.loss.item() if torch else loss.item(), loss.item())",
        ),
        ("the gradients of both are equal to the last bits", "max(largest.values()) < 1e-6"),
        ("those of the last bias sum to 0", "abs(bias.sum()) < 1e-6"),
        (
            "the program needs neither library",
            '"import torch" not in program and "minigrad" not in program',
        ),
        ("the loss is finite where the gradient is not", "np.isfinite(sick.item())"),
        (
            "NaN reaches the table of letters alone",
            """
            _, first = watched_loss(above=0.0)
            {name: float(share) for name, share in first.items() if share} == {"letters.weight": 1.0}
            """,
        ),
        ("the line is named", '"return sqrt((apart * apart)" in str(found)'),
        ("a small number under the root heals it", "sum(bad.values()) == 0"),
    ],
    "22": [
        ("the parameters are those that were counted", "counted == 24_189"),
        ("a table of two letters is the best", "max(baselines, key=baselines.get) == 2"),
        ("one batch is known by heart", "memory.reader.accuracy(same.batch(1, 32)) == 1"),
        ("and no rule", "memory.reader.accuracy(plurals.held_out(200)) < 0.2"),
        ("it beats adding an s after 100 steps", "right_at[100] > baselines[0] > right_at[50]"),
        (
            "no noun is in both parts",
            "not {n for n, _ in seen} & {n for n, _ in plurals.held_out(1000)}",
        ),
        ("real nouns need other data", "len(right) < len(right_now)"),
        ("each head is missed", "max(without.values()) < 0.75 * accuracy"),
        ("the times are right", 'clock("20 to one") == "12:40"'),
    ],
}

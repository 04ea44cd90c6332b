"""Symbols survive the way to ids and back, and what cannot is refused by name."""

import doctest
import json

import numpy as np
import pytest
from processes import printed
from properties import given, st

from minigrad.errors import VocabularyError
from minitransformer.training import vocabulary
from minitransformer.training.vocabulary import BOS, EOS, PAD, Vocabulary

CHARACTERS = Vocabulary.of_characters("abc <>pd")
WORDS = Vocabulary.of_words(["the man hit the car"])

some_text = st.text(min_size=1)
# Not filter(str.split): hypothesis takes that for "not empty", and white space has no words.
some_words = st.text().filter(lambda text: text.split())


def test_examples_in_the_docstring_are_true():
    assert doctest.testmod(vocabulary).failed == 0


def test_special_ids_come_first():
    assert (PAD, BOS, EOS) == (0, 1, 2)
    assert CHARACTERS.tokens([PAD, BOS, EOS]) == ["<pad>", "<bos>", "<eos>"]


# --- there and back -------------------------------------------------------------------------------


@given(some_text, st.booleans(), st.booleans())
def test_characters_round_trip(text, start, end):
    known = Vocabulary.of_characters(["and others", text])
    ids = known.encode(text, start=start, end=end)
    assert len(ids) == start + len(text) + end
    assert all(3 <= i < len(known) for i in ids[start : start + len(text)])
    assert known.decode(ids) == text


@given(some_words, st.booleans(), st.booleans())
def test_words_round_trip_up_to_white_space(text, start, end):
    known = Vocabulary.of_words(["and others", text])
    ids = known.encode(text, start=start, end=end)
    assert len(ids) == start + len(text.split()) + end
    assert known.decode(ids) == " ".join(text.split())


def test_one_string_is_an_alphabet():
    assert Vocabulary.of_characters("cab") == Vocabulary.of_characters(["a", "bc"])


@given(st.lists(some_words, min_size=1))
def test_order_of_the_texts_does_not_matter(texts):
    assert Vocabulary.of_characters(texts) == Vocabulary.of_characters(texts[::-1])
    assert Vocabulary.of_words(texts) == Vocabulary.of_words(texts[::-1])


@pytest.mark.slow
def test_ids_do_not_depend_on_hash_randomisation():
    """Symbols gathered in a set and not sorted would make every checkpoint unreadable."""
    assert "hit" in printed(
        "from minitransformer.training.vocabulary import Vocabulary as V\n"
        "print(V.of_words(['the man hit the car']).to_dict(), V.of_characters('hello').to_dict())"
    )


@pytest.mark.parametrize("name", vocabulary.SPECIAL)
def test_no_text_can_spell_a_special_token(name):
    characters = Vocabulary.of_characters(name)
    assert min(characters.encode(name)) > EOS
    assert characters.decode(characters.encode(name)) == name

    with pytest.raises(VocabularyError):
        WORDS.encode(name)  # a stranger, like any other word
    words = Vocabulary.of_words([f"the {name}"])
    assert min(words.encode(name)) > EOS
    assert words.decode(words.encode(name)) == name


# --- reading ids ----------------------------------------------------------------------------------


def test_decoding_stops_at_the_end_and_skips_what_is_no_symbol():
    a, b, c = CHARACTERS.encode("abc")
    assert CHARACTERS.decode([BOS, a, PAD, b, EOS, c, EOS, PAD]) == "ab"
    assert CHARACTERS.decode([EOS, a]) == ""
    assert CHARACTERS.decode([a, b]) == "ab"  # generation that ran out of room has no end


def test_tokens_are_one_for_each_id():
    ids = WORDS.batch(["the man", "car"], start=True, end=True)
    assert WORDS.tokens(ids[1]) == ["<bos>", "car", "<eos>", "<pad>"]


@pytest.mark.parametrize("read", [CHARACTERS.decode, CHARACTERS.tokens])
@pytest.mark.parametrize(
    ("ids", "named"),
    [
        ([3, -1], "id -1 at position 1"),  # would be the last symbol
        ([len(CHARACTERS)], f"0 to {len(CHARACTERS) - 1}"),
        ([3.0], "float at position 0"),
        (np.zeros((2, 3), dtype=np.int64), "one row"),  # a whole batch
    ],
)
def test_ids_that_are_none(read, ids, named):
    with pytest.raises(VocabularyError, match=named):
        read(ids)


# --- batches --------------------------------------------------------------------------------------


def test_a_batch_is_filled_up_on_the_right():
    ids = CHARACTERS.batch(["ab", "c"], start=True, end=True)
    a, b, c = CHARACTERS.encode("abc")
    assert ids.dtype == np.int64
    assert ids.tolist() == [[BOS, a, b, EOS], [BOS, c, EOS, PAD]]
    assert CHARACTERS.batch(text for text in ["ab", "c"]).tolist() == [[a, b], [c, PAD]]


@given(st.lists(st.text("abc <>pd", min_size=1), min_size=1), st.booleans(), st.booleans())
def test_rows_of_a_batch_are_the_texts(texts, start, end):
    ids = CHARACTERS.batch(texts, start=start, end=end)
    assert ids.shape == (len(texts), max(map(len, texts)) + start + end)
    assert [CHARACTERS.decode(row) for row in ids] == texts


# --- refusals -------------------------------------------------------------------------------------


def test_an_unknown_character_is_named():
    with pytest.raises(VocabularyError) as error:
        CHARACTERS.encode("ab–c")
    for part in (
        "character '–'",
        "position 2",
        "'ab–c'",
        "' <>abcdp'",
        "or train on texts that have it",
    ):
        assert part in str(error.value)


def test_of_a_letter_that_is_known_in_the_other_case_this_is_said():
    for known_to, text, known in ((CHARACTERS, "aB", "'b'"), (WORDS, "the Man", "'man'")):
        with pytest.raises(VocabularyError, match=f"write {known}"):
            known_to.encode(text)


def test_an_unknown_word_is_named():
    with pytest.raises(VocabularyError) as error:
        WORDS.batch(["the man", "the man bit the car"])
    for part in ("word 'bit'", "position 2", "'the man bit the car'"):
        assert part in str(error.value)


def test_a_message_stays_one_short_line():
    with pytest.raises(VocabularyError) as error:
        CHARACTERS.encode("a\n" * 10_000)
    assert "'\\n'" in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize(
    "refused",
    [
        lambda: CHARACTERS.encode(""),
        lambda: WORDS.encode(" \n"),
        lambda: CHARACTERS.batch(["a", ""]),
        lambda: CHARACTERS.batch([]),
        lambda: CHARACTERS.batch("abc"),  # would be three texts of one character
        lambda: Vocabulary.of_words("the man"),  # would be six words of one character
        lambda: Vocabulary.of_words([" "]),
        lambda: Vocabulary.of_characters(""),
        lambda: Vocabulary.of_characters([]),
    ],
)
def test_nothing_to_read(refused):
    with pytest.raises(VocabularyError):
        refused()


# --- saved and loaded -----------------------------------------------------------------------------


@given(st.lists(st.characters(), min_size=1, unique=True))
def test_characters_survive_json_in_their_order(symbols):
    """Sorting them again, or once more adding the special ones, would shift every id."""
    made = Vocabulary(tuple(symbols))
    loaded = Vocabulary.from_dict(json.loads(json.dumps(made.to_dict())))
    assert loaded == made
    assert loaded.encode(symbols[-1]) == [len(symbols) + 2]


def test_words_survive_json():
    loaded = Vocabulary.from_dict(json.loads(json.dumps(WORDS.to_dict())))
    assert loaded == WORDS != CHARACTERS
    assert loaded.decode(loaded.encode("the car")) == "the car"


@pytest.mark.parametrize(
    "nonsense",
    [
        None,
        [],
        "abc",
        {},
        {"symbols": ["a"]},
        {"level": "character"},
        {"level": "character", "symbols": "abc"},
        {"level": "character", "symbols": []},
        {"level": "character", "symbols": ["a", "b", "a"]},
        {"level": "character", "symbols": ["a", "bc"]},
        {"level": "character", "symbols": ["a", ""]},
        {"level": "character", "symbols": ["a", 3]},
        {"level": "character", "symbols": ["a", ["b"]]},
        {"level": "character", "symbols": ["a"], "more": 1},
        {"level": "word", "symbols": ["two words"]},
        {"level": "word", "symbols": [" padded"]},
        {"level": "byte", "symbols": ["a"]},
        {"level": ["word"], "symbols": ["a"]},
    ],
)
def test_nonsense_is_no_vocabulary(nonsense):
    with pytest.raises(VocabularyError):
        Vocabulary.from_dict(nonsense)


def test_a_vocabulary_shows_what_it_holds():
    assert repr(WORDS) == "<Vocabulary of 4 words: 'car hit man the'>"
    assert len(WORDS) == 7

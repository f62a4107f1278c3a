"""Which words of a question carry its matter: stop words leave, words of the law come first.

Two kinds of words, in `substance.toml`: what people say around a question (请问, 怎么办, 背诵, 条文), and what makes
a word one of the law: its ending (…罪, …权, …责任) or its place in a short list.
"""

from __future__ import annotations

from store.tables import Table, Words, WordSet, beside


class Matter(Table):
    """stop_words say nothing about the matter of a question; frame_words little: they are of the frame of exam
    questions and judgments."""

    stop_words: WordSet
    frame_words: WordSet
    legal_words: WordSet
    legal_endings: Words

    def is_legal(self, word: str) -> bool:
        """Whether a word is one of the law."""
        return word in self.legal_words or (len(word) > 2 and word.endswith(self.legal_endings))


def matter() -> Matter:
    """The table."""
    return beside(__package__, "substance", Matter)

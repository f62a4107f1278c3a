"""The shipped index of real laws: windows that meet, numbers that are counted, and not a word of text."""

from __future__ import annotations

from datetime import timedelta

from store.statutes.model import ArticleNumber
from store.statutes.shipped import as_of, indexed_laws, listed_laws, numbers_of


def test_windows_of_a_law_follow_each_other_without_a_gap() -> None:
    for indexed in indexed_laws():
        versions = [version for version, _ in indexed.versions]
        for old, new in zip(versions, versions[1:], strict=False):
            assert old.valid_to is not None and new.valid_from is not None
            assert new.valid_from - old.valid_to == timedelta(days=1), new.label
        for version in versions:
            assert version.valid_from is not None and version.valid_from <= as_of()
            assert version.adopted is None or version.adopted <= version.valid_from


def test_no_text_and_no_article_twice() -> None:
    for indexed in indexed_laws():
        for version, articles in indexed.versions:
            assert articles, version.label
            assert all(article.text is None and not article.title for article in articles)
            assert len({article.number for article in articles}) == len(articles)


def test_the_list_holds_facts_and_agrees_with_the_index() -> None:
    listed = {law.name: law for law in listed_laws()}
    assert len(listed) > 1300 and list(listed) == sorted(listed)
    for law in listed.values():
        for version, numbers in law.versions:
            assert set(numbers) <= set("0123456789.- ") and numbers_of(numbers), version.label
    same = 0
    for indexed in indexed_laws():
        for version, articles in indexed.versions:
            for other, numbers in listed[indexed.law.name].versions if indexed.law.name in listed else ():
                if (version.valid_from, False) == (other.valid_from, other.inferred):
                    assert {article.number for article in articles} == set(numbers_of(numbers)), version.label
                    same += 1
    assert same > 30


def test_numbers() -> None:
    assert numbers_of("1..3 2-1") == [ArticleNumber(1), ArticleNumber(2), ArticleNumber(2, 1), ArticleNumber(3)]

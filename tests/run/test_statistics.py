"""Intervals and design effects against known values and against their own definitions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.scoring.statistics import (
    cluster_bootstrap,
    cluster_error,
    design_effect,
    effective_n,
    intraclass_correlation,
    mean_interval,
    rate_interval,
    t_quantile,
    wilson,
)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (64, 69, 0.841, 0.969),
        (62, 69, 0.805, 0.950),
        (0, 69, 0.0, 0.053),
        (150, 300, 0.444, 0.556),
        (64, 128, 0.415, 0.585),
    ],
)
def test_wilson_gives_the_known_intervals(k: int, n: int, low: float, high: float) -> None:
    found = wilson(k, n)
    assert found == pytest.approx((low, high), abs=0.0006)


@pytest.mark.parametrize(
    ("df", "value"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (9, 2.2622), (27, 2.0518), (39, 2.0227), (1000, 1.9623)],
)
def test_t_quantile(df: int, value: float) -> None:
    assert t_quantile(0.975, df) == pytest.approx(value, abs=2e-4)


def test_pairs_that_agree_halve_the_information() -> None:
    values = [0.0, 0.0, 1.0, 1.0] * 20
    clusters = [index // 2 for index in range(80)]
    assert design_effect(values, clusters) == pytest.approx(2.0, abs=0.06)
    assert effective_n(values, clusters) == pytest.approx(40, abs=1.5)
    assert intraclass_correlation(values, clusters) == pytest.approx(1.0)
    narrow = cluster_bootstrap(values, list(range(80)))
    wide = cluster_bootstrap(values, clusters)
    assert wide[1] - wide[0] > 1.25 * (narrow[1] - narrow[0])


def test_clusters_of_one_are_no_clusters() -> None:
    values = [0.0, 0.5, 1.0, 1.0, 0.25]
    naive = (sum((v - 0.55) ** 2 for v in values) / 4 / 5) ** 0.5
    assert cluster_error(values, range(5)) == pytest.approx(naive)
    assert design_effect(values, list(range(5))) == pytest.approx(1.0)
    assert intraclass_correlation(values, list(range(5))) is None


def test_effective_n_never_exceeds_n() -> None:
    values = [0.0, 1.0] * 10
    clusters = [index // 2 for index in range(20)]
    assert design_effect(values, clusters) < 1
    assert effective_n(values, clusters) == 20


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 60)), min_size=1, max_size=80))
def test_mean_interval_is_total_and_ordered(data: list[tuple[float, int]]) -> None:
    values, clusters = [value for value, _ in data], [cluster for _, cluster in data]
    interval = mean_interval(values, clusters, draws=200)
    assert interval is not None
    assert 0.0 <= interval.low <= interval.high <= 1.0
    assert interval.method
    assert not math.isnan(interval.low)


def test_bootstrap_is_seeded() -> None:
    values = [index % 3 / 2 for index in range(90)]
    clusters = [index // 2 for index in range(90)]
    assert cluster_bootstrap(values, clusters, seed=3) == cluster_bootstrap(values, clusters, seed=3)
    assert cluster_bootstrap(values, clusters, seed=3) != cluster_bootstrap(values, clusters, seed=4)
    strata = [index % 2 for index in range(90)]
    low, high = cluster_bootstrap(values, clusters, strata=strata)
    assert low < sum(values) / 90 < high


def test_method_follows_the_number_of_clusters() -> None:
    def method(clusters: int) -> str:
        values = [float(index % 2) for index in range(2 * clusters)]
        values[0] = 0.5
        found = mean_interval(values, [index // 2 for index in range(2 * clusters)])
        assert found is not None
        return found.method

    assert method(50).startswith("cluster bootstrap")
    assert method(20) == "clustered t, 19 df"
    assert method(5) == "clustered t, 4 df, only 5 clusters"
    assert method(1).startswith("Wilson over 1 clusters")


def test_all_right_is_not_certainty() -> None:
    interval = mean_interval([1.0] * 60, list(range(60)))
    assert interval is not None
    assert interval.high == 1.0
    assert 0.9 < interval.low < 0.95
    assert mean_interval([], []) is None
    assert rate_interval([], []) is None

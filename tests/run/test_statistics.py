"""Intervals and design effects against known values and against their own definitions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.scoring.statistics import (
    cluster_bootstrap,
    cluster_error,
    cluster_t,
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


@given(st.integers(min_value=0, max_value=500), st.integers(min_value=1, max_value=500))
def test_wilson_holds_the_rate(k: int, n: int) -> None:
    k = min(k, n)
    low, high = wilson(k, n)
    assert 0.0 <= low <= k / n <= high <= 1.0
    assert (low == 0.0) == (k == 0)
    assert (high == 1.0) == (k == n)


@pytest.mark.parametrize(
    ("df", "value"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (9, 2.2622), (27, 2.0518), (39, 2.0227), (1000, 1.9623)],
)
def test_t_quantile(df: int, value: float) -> None:
    assert t_quantile(0.975, df) == pytest.approx(value, abs=2e-4)


def test_t_quantile_refuses_nonsense() -> None:
    with pytest.raises(ValueError, match="df"):
        t_quantile(0.975, 0)


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


def test_strata_without_spread_give_no_width() -> None:
    values = [0.0] * 50 + [1.0] * 50
    strata = ["a"] * 50 + ["b"] * 50
    assert cluster_bootstrap(values, list(range(100)), strata=strata) == (0.5, 0.5)


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


def test_rate_interval_widens_with_clusters() -> None:
    hits = [True, True, False, False] * 20
    alone = rate_interval(hits, list(range(80)))
    paired = rate_interval(hits, [index // 2 for index in range(80)])
    assert alone is not None
    assert paired is not None
    assert paired.high - paired.low > alone.high - alone.low


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="cluster names"):
        cluster_error([1.0, 0.0], ["a"])
    with pytest.raises(ValueError, match="two clusters"):
        cluster_t([1.0, 0.0], ["a", "a"])

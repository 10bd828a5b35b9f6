"""Odds: the chance of a failure kind from counted features."""

from __future__ import annotations

import pytest

from hardwon.ranking.odds import (
    EVERY,
    LIMITS,
    RUN,
    Call,
    Chance,
    Counts,
    chances,
    counted,
    number,
    numbered,
    over,
    together,
    united,
)


def learnt(*calls: tuple[str, str, int]) -> dict[int, Counts]:
    """Counts after calls, each so many times: features, kind."""
    counts: dict[int, Counts] = {}
    for features, kind, times in calls:
        for _ in range(times):
            counted(counts, Call(tuple(numbered(features.split())), kind))
    return counts


def chance_of(kind: str, features: str, counts: dict[int, Counts], **how: bool) -> float:
    found = chances(numbered(features.split()), counts, is_shell=how.get("is_shell", True))
    return next((one.chance for one in found if one.kind == kind), 0.0)


def met(feature: str, times: int, worked: int = 0) -> float:
    """The chance that a command fails as so many with the same feature did."""
    counts: dict[int, Counts] = {}
    for kind in (*["k"] * times, *[""] * worked, *[""] * 50):
        is_other = not kind and counts[EVERY].made >= times + worked
        counted(counts, Call((number("x" if is_other else feature),), kind))
    return chances(numbered([feature]), counts, is_shell=True)[0].chance


def test_the_more_names_of_a_sort_a_command_has_the_less_each_of_them_says() -> None:
    assert met("runs gcc", 1) >= 0.3, "one meeting of a program is a rule"
    assert met("gcc names a.c", 1) < 0.3 < met("gcc names a.c", 2)
    assert met("gcc names a.c", 2, worked=1) >= 0.3, "two of three, too"
    assert met("python code connect", 2) > 0.3, "of a name in a script two of two"
    assert met("python code connect", 2, worked=1) < 0.3, "two of three fail by chance"
    assert met("python code connect", 1) < 0.1


def test_words_of_an_argument_are_not_taken_for_names_in_a_script() -> None:
    counts = learnt(("x", "", 50))
    feature = "find query is shaped my code is lost"
    counted(counts, Call((number(feature),), "k"))

    assert chances(numbered([feature]), counts, is_shell=False)[0].chance >= 0.3


def test_a_name_in_a_query_is_no_rule_by_one_meeting_and_speaks_against_none() -> None:
    name, rule = number("ask sql code orders"), number("a")
    once = learnt(("x", "", 50))
    counted(once, Call((name,), "k"))
    against = learnt(("x", "", 50), ("a", "k", 1))
    for _ in range(2):
        counted(against, Call((name,)))

    assert chances(numbered(["ask sql code orders"]), once, is_shell=False)[0].chance < 0.3
    both = {name: "ask sql code orders", rule: "a"}
    assert chances(both, against, is_shell=False)[0].chance >= 0.3


def test_one_meeting_of_named_arguments_is_a_rule_unless_something_speaks_against_it() -> None:
    counts = learnt(("x", "", 50), ("a", "k", 1))

    assert chance_of("k", "a", counts, is_shell=False) >= 0.3
    assert (
        chance_of("k", "a", learnt(("x", "", 50), ("a", "k", 1), ("a", "", 1)), is_shell=False)
        < 0.3
    )


def test_chances_are_stretched_so_that_they_come_true() -> None:
    """Measured: four of four come true in 95 of 100 cases, the bare share would be 72 %."""
    assert chance_of("k", "a", learnt(("x", "", 500), ("a", "k", 4))) == pytest.approx(
        0.94, abs=0.01
    )
    assert chance_of("k", "a", learnt(("x", "", 500), ("a", "k", 1))) == pytest.approx(
        0.3, abs=0.01
    )
    seldom = learnt(("x", "", 500), ("a", "k", 1), ("a", "", 2))
    assert chance_of("k", "a", seldom, is_shell=False) == pytest.approx(0.07, abs=0.01)


def test_a_command_that_has_worked_with_a_feature_is_trusted_more() -> None:
    counts = learnt(("x", "", 500), ("a", "k", 3), ("a", "", 2))

    assert chance_of("k", "a", counts, is_shell=True) < chance_of("k", "a", counts, is_shell=False)
    assert chance_of("k", "a", learnt(("x", "", 500), ("a", "k", 3))) > 0.7, "no exception"


def test_calls_that_worked_lower_the_chance() -> None:
    assert chance_of("k", "a", learnt(("a", "k", 3), ("a", "", 9))) < 0.3


def test_the_most_telling_feature_decides() -> None:
    counts = learnt(("a", "", 40), ("a b", "k", 4))

    (found,) = chances(numbered(["a", "b"]), counts, is_shell=True)

    assert (found.because, found.failed, found.made) == ("b", 4, 4)


def test_a_kind_that_is_common_needs_less() -> None:
    rare, common = learnt(("x", "", 90), ("a", "k", 2)), learnt(("x", "k", 90), ("a", "k", 2))

    assert chance_of("k", "a", common) > chance_of("k", "a", rare)


def test_calls_after_the_run_met_the_kind_do_not_count_for_it() -> None:
    counts = learnt(("a", "k", 2))
    for _ in range(20):
        counted(counts, Call((number("a"),), "", met=("k",)))

    assert chance_of("k", "a", counts) > 0.45


def test_a_second_failure_of_one_run_is_no_second_meeting() -> None:
    once = learnt(("x", "", 50), ("a", "k", 1))
    again = {**once}
    counted(again, Call((number("a"),), "k", met=("k",)))

    assert chance_of("k", "a", again) == pytest.approx(chance_of("k", "a", once), abs=0.001)


def test_a_feature_of_an_argument_holds_a_rule_down() -> None:
    counts = learnt(("a", "k", 10), ("a b", "", 1), ("b", "", 9))

    against = chance_of("k", "a b", counts, is_shell=False)

    assert against < 0.5 < chance_of("k", "a", counts, is_shell=False)
    assert chance_of("k", "a b", counts, is_shell=True) > 0.5, "parts of a command line differ"


def test_a_feature_that_is_much_wider_says_nothing_against_a_rule() -> None:
    def against(worked: int) -> float:
        counts = learnt(("a", "k", 4), ("a", "", 1), ("b", "", worked))
        return chance_of("k", "a b", counts, is_shell=False)

    assert against(15) < 0.3
    assert against(16) > 0.6, "more than three times as many calls had it"


def test_a_rule_without_exception_is_worth_all_its_calls_against_another_feature() -> None:
    pure = learnt(("a", "k", 12), ("b", "", 20))
    mixed = learnt(("a", "k", 12), ("a", "", 1), ("b", "", 20))

    assert chance_of("k", "a b", pure, is_shell=False) > 0.8
    assert chance_of("k", "a b", mixed, is_shell=False) < 0.3


def test_a_feature_that_has_hardly_been_seen_says_nothing_against_a_rule() -> None:
    counts = learnt(("x", "", 50), ("a", "k", 1), ("b", "", 1), ("c", "", 2))

    alone = chance_of("k", "a", counts, is_shell=False)

    assert chance_of("k", "a b", counts, is_shell=False) == alone
    assert chance_of("k", "a c", counts, is_shell=False) < alone, "it worked twice"


def test_what_no_longer_fails_is_forgotten() -> None:
    counts = learnt(("a", "k", 1000))
    calls = 0
    while chance_of("k", "a", counts) >= 0.3:
        counted(counts, Call((number("a"),)))
        calls += 1

    assert 20 < calls < 120


def test_counts_stay_small() -> None:
    counts = learnt(("a", "k", 500), *((f"a f{n}", f"k{n}", 1) for n in range(400)))

    assert counts[number("a")].made <= LIMITS.kept
    assert len(counts[number("a")].kinds) <= LIMITS.kinds
    assert len(counts[EVERY].kinds) <= 10 * LIMITS.kinds
    assert counts[EVERY].touched == 900


def test_the_order_of_features_decides_nothing() -> None:
    one: dict[int, Counts] = {}
    other: dict[int, Counts] = {}
    numbers = tuple(numbered(["a", "b", "c"]))
    counted(one, Call(numbers, "k"))
    counted(other, Call(numbers[::-1], "k"))

    assert one == other


def test_ties_are_ordered_by_the_name_of_the_kind() -> None:
    counts = learnt(("a", "k2", 3), ("a", "k1", 3))

    assert [one.kind for one in chances(numbered(["a"]), counts, is_shell=True)] == ["k1", "k2"]


def test_scopes_are_added_up() -> None:
    seen = together([Counts(5, (("k", 2, 1),)), Counts(4, (("j", 1, 0), ("k", 1, 2)))])

    assert seen == Counts(9, (("j", 1, 0), ("k", 3, 3)))


@pytest.mark.parametrize("feature", ["a", "python code x", "é\udcff"])
def test_a_feature_is_kept_as_a_number_of_its_own(feature: str) -> None:
    assert RUN < number(feature) < 2**63


def test_the_numbers_in_stores_stay_the_same() -> None:
    assert number("runs gcc") == 4_101_275_541_627_349_376


def test_a_chance_is_explained_by_its_counts() -> None:
    found = Chance("k", 0.416, "runs x", 8, 9, "x id is new", 0, 4)

    assert found.explained() == (
        "42%: failed so in 8 of 9 calls (runs x; but in 0 of 4 with x id is new)"
    )


def test_runs_are_all_counted() -> None:
    counts: dict[int, Counts] = {}
    for _ in range(LIMITS.kept_every + 9):
        counted(counts, Call((RUN,)))

    assert counts[RUN].made == LIMITS.kept_every + 9
    assert counts[EVERY].made <= LIMITS.kept_every


def test_a_sum_is_of_no_time() -> None:
    one = Counts(3, (("k", 1, 0),), touched=9)

    assert together([one]).touched == 0
    assert together([one, one]) == Counts(6, (("k", 2, 0),))


def test_counts_of_shelves_are_added_up_by_feature() -> None:
    own = {1: Counts(3, (("k", 1, 0),)), 2: Counts(5)}
    other = {1: Counts(4, (("k", 2, 1), ("l", 1, 0)))}

    assert over([own, other]) == {
        1: Counts(7, (("k", 3, 1), ("l", 1, 0))),
        2: Counts(5),
    }
    assert over([]) == {}


def test_old_counts_are_halved_once_there_are_too_many() -> None:
    full = Counts(LIMITS.kept, (("k", 5, 7), ("l", 1, 9)))
    counts = {99: full}

    counted(counts, Call((99,)))

    assert counts[99] == Counts((LIMITS.kept + 1) // 2, (("k", 2, 3),), touched=1)


def test_just_so_many_counts_are_kept_whole() -> None:
    counts = {99: Counts(LIMITS.kept - 1, (("k", 5, 7),))}

    counted(counts, Call((99,)))

    assert counts[99].made == LIMITS.kept


def test_nothing_is_counted_before_the_first_call() -> None:
    assert Counts() == (0, (), 0)
    assert Chance("k", 0.5) == ("k", 0.5, "", 0, 0, "", 0, 0)
    assert together([]) == Counts()


def test_so_many_kinds_are_kept_for_a_feature_and_ten_times_as_many_for_all() -> None:
    counts: dict[int, Counts] = {}
    for kind in range(241):
        counted(counts, Call((99,) if kind < 25 else (), f"k{kind:03}"))

    assert [kind for kind, *_ in counts[99].kinds] == [f"k{kind:03}" for kind in range(24)]
    assert len(counts[EVERY].kinds) == 240


def test_stores_know_the_two_special_features_by_these_numbers() -> None:
    assert (EVERY, RUN) == (0, 1)


def test_a_call_after_its_run_met_the_kind_is_excused_once() -> None:
    counts: dict[int, Counts] = {}
    for call in (Call((99,), "k"), Call((99,), "", ("k",)), Call((99,), "k", ("k",))):
        counted(counts, call)

    assert counts[99].kinds == (("k", 1, 2),)
    assert counts[99].made == 3


def test_counts_are_halved_after_64_calls_of_a_feature_and_4096_of_all() -> None:
    counts = {EVERY: Counts(4095), 99: Counts(63)}

    counted(counts, Call((99,)))
    assert (counts[EVERY].made, counts[99].made) == (4096, 64)

    counted(counts, Call((99,)))
    assert (counts[EVERY].made, counts[99].made) == (2048, 32)


def test_the_kinds_that_fail_most_are_kept_and_of_equals_the_first_by_name() -> None:
    counts: dict[int, Counts] = {}
    for kind in ("z", "z", *(f"k{n:02}" for n in reversed(range(25)))):
        counted(counts, Call((99,), kind))
    counted(counts, Call((99,), "", met=("k22",)))

    assert [kind for kind, *_ in counts[99].kinds] == [*(f"k{n:02}" for n in range(23)), "z"]


def test_two_scopes_become_one_with_the_features_of_the_first() -> None:
    own = {1: Counts(3, (("k", 1, 0),), touched=9), 2: Counts(5, touched=4)}
    other = {1: Counts(4, (("k", 2, 1),), touched=12), 3: Counts(8)}

    assert united(own, other) == {
        1: Counts(7, (("k", 3, 1),), touched=12),
        2: Counts(5, touched=4),
    }


def test_what_is_less_likely_than_asked_is_left_out() -> None:
    counts = learnt(("x", "", 500), ("a", "k", 4), ("a", "j", 1))
    features = numbered(["a", "never seen"])
    likely, unlikely = chances(features, counts, is_shell=True)

    assert (likely.kind, unlikely.kind) == ("k", "j")
    assert chances(features, counts, is_shell=True, least=unlikely.chance) == [likely, unlikely]
    assert chances(features, counts, is_shell=True, least=likely.chance) == [likely]
    assert chances(features, counts, is_shell=True, least=0.999) == []


def test_a_feature_against_a_rule_can_make_it_less_likely_than_asked() -> None:
    counts = learnt(("x", "", 500), ("a", "k", 4), ("b", "", 9))

    alone, both = numbered(["a"]), numbered(["a", "b"])
    assert chances(alone, counts, is_shell=False, least=0.9)
    assert chances(both, counts, is_shell=False, least=0.9) == []


def test_a_failure_of_the_first_call_of_all_is_likely() -> None:
    assert chance_of("k", "a", learnt(("a", "k", 1))) > 0.9


def test_a_kind_that_is_no_longer_counted_over_all_calls_has_no_base_rate() -> None:
    forgotten = {EVERY: Counts(2), 99: Counts(2, (("k", 1, 0),))}
    never = {EVERY: Counts(2, (("k", 0, 0),)), 99: forgotten[99]}

    assert chances({99: "a"}, forgotten, is_shell=True) == chances({99: "a"}, never, is_shell=True)


def test_a_rule_with_exceptions_weighs_four_calls_against_another_feature() -> None:
    plain = LIMITS._replace(discount=0.0, pivot=0.5)  # then a chance is the share's squared odds
    counts = {EVERY: Counts(10**9), 1: Counts(7, (("k", 4, 0),)), 2: Counts(12)}

    (found,) = chances({1: "a", 2: "b"}, counts, is_shell=False, by=plain)

    share = 4 * 0.5 / (12 + 4)
    odds = (share / (1 - share)) ** 2
    assert found.chance == pytest.approx(odds / (1 + odds))
    assert (found.despite, found.despite_failed, found.despite_made) == ("b", 0, 12)


def test_only_failures_of_the_same_kind_speak_for_a_rule() -> None:
    failing = {EVERY: Counts(50), 1: Counts(4, (("k", 4, 0),)), 2: Counts(9, (("j", 9, 0),))}

    found = next(
        one for one in chances({1: "a", 2: "b"}, failing, is_shell=False) if one.kind == "k"
    )

    assert (found.despite, found.despite_failed, found.despite_made) == ("b", 0, 9)


def test_a_feature_says_something_from_more_than_half_an_expected_failure_on() -> None:
    plain = LIMITS._replace(discount=0.0)
    counts = {EVERY: Counts(10**9), 1: Counts(3, (("k", 1, 0),)), 2: Counts(2), 3: Counts(3)}

    def despite(other: int) -> str:
        features = {1: "a", other: "b"}
        return chances(features, counts, is_shell=False, by=plain)[0].despite

    assert (despite(2), despite(3)) == ("", "b")


def test_of_features_equally_strong_against_a_rule_the_first_is_named() -> None:
    counts = learnt(("x", "", 50), ("a", "k", 4), ("c", "", 9), ("b", "", 9))

    assert chances(numbered(["c", "b", "a"]), counts, is_shell=False)[0].despite == "b"

"""What every lesson store must do."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hardwon import Scope
from hardwon.core.errors import InvalidInput, NotFound
from hardwon.core.values.lesson import MINED, Evidence, Fix, Status
from hardwon.knowledge.ranking.query import Query, query
from hardwon.storage.ports import Store
from tests.samples import CODER, LATER, NOW, lesson

STRANGERS = [
    Scope("other", "coder", "api"),
    Scope("acme", "writer", "api"),
    Scope("acme", "coder", "web"),
    Scope("acme", "coder"),
]


def found(store: Store, text: str, scope: Scope = CODER) -> list[int]:
    asked = query("turn", text)
    return [m.lesson.id for m in store.lessons.match(scope, asked, now=NOW, limit=10)]


def test_a_stored_lesson_comes_back_whole(store: Store) -> None:
    kept = store.lessons.add(
        lesson(
            tags=("go", "größe"),
            signatures=("ab", "cd"),
            calls=("bash go build",),
            evidence=(Evidence("job", "1", 12.5),),
            kinds=("k1",),
            fixes=(Fix("call", "Use `b`\n  instead", "b", call="b", worked=2, failed=1),),
            importance=0.25,
            expires_at=LATER,
        )
    )

    assert kept.id > 0
    assert store.lessons.get(CODER, kept.id) == kept


def test_ids_are_never_used_again(store: Store) -> None:
    first = store.lessons.add(lesson("one"))
    store.lessons.delete(CODER, first.id)

    assert store.lessons.add(lesson("two")).id > first.id


def test_a_job_makes_one_lesson(store: Store) -> None:
    first = store.lessons.add(lesson("one", job="j1"))
    again = store.lessons.add(lesson("one", job="j1"))

    assert again == first
    assert len(store.lessons.recent(CODER, status=Status.ACTIVE, limit=9)) == 1


@pytest.mark.parametrize("stranger", STRANGERS, ids=str)
def test_no_other_scope_sees_changes_or_deletes_it(store: Store, stranger: Scope) -> None:
    kept = store.lessons.add(lesson("canary"))

    assert store.lessons.recent(stranger, status=Status.ACTIVE, limit=9) == []
    assert store.lessons.search(stranger, "canary", limit=9) == []
    assert found(store, "canary", stranger) == []
    with pytest.raises(NotFound):
        store.lessons.get(stranger, kept.id)
    with pytest.raises(NotFound):
        store.lessons.delete(stranger, kept.id)
    with pytest.raises(NotFound):
        store.lessons.update(kept._replace(scope=stranger, correction="changed"))
    assert store.lessons.get_all(stranger, [kept.id]) == []
    assert store.lessons.get(CODER, kept.id) == kept


def test_several_are_read_in_the_order_asked_without_those_that_are_gone(store: Store) -> None:
    first, second, third = (store.lessons.add(lesson(text)) for text in ("one", "two", "three"))
    store.lessons.delete(CODER, second.id)

    for _ in range(2):
        asked = [third.id, second.id, first.id]
        assert store.lessons.get_all(CODER, asked) == [third, first]


def test_what_holds_everywhere_is_seen_from_every_project_of_the_agent(store: Store) -> None:
    kept = store.lessons.add(lesson("canary", CODER.everywhere()))

    assert found(store, "canary") == [kept.id]
    assert store.lessons.get(CODER, kept.id).scope == CODER.everywhere()


def test_recent_lists_the_newest_consulted_first(store: Store) -> None:
    old = store.lessons.add(lesson("old"))
    new = store.lessons.add(lesson("new", last_seen_at=LATER))
    same = store.lessons.add(lesson("same"))

    listed = store.lessons.recent(CODER, status=Status.ACTIVE, limit=9)

    assert [one.id for one in listed] == [new.id, same.id, old.id]
    assert store.lessons.recent(CODER, status=Status.ACTIVE, limit=1) == [new]


@pytest.mark.parametrize("text", ["arge Go", "ARGE", "large go files", "Go"])
def test_search_finds_any_substring_whatever_its_case(store: Store, text: str) -> None:
    kept = store.lessons.add(lesson())

    assert store.lessons.search(CODER, text, limit=9) == [kept]


@pytest.mark.parametrize("text", ['"', "'", "%", "_x_", "a*", "NEAR(a b)", "a OR b", "\\", "--"])
def test_search_takes_every_character_literally(store: Store, text: str) -> None:
    store.lessons.add(lesson("plain words only"))
    kept = store.lessons.add(lesson(f"before {text} after"))

    assert store.lessons.search(CODER, text, limit=9) == [kept]


def test_search_takes_letters_beyond_ascii_literally_too(store: Store) -> None:
    for text in ("grüne grotte", "GRÜSSE groß", "größte mühe"):
        store.lessons.add(lesson(text))
    kept = store.lessons.add(lesson("die Größe GRÖẞE zählt"))

    assert store.lessons.search(CODER, "größe", limit=9) == [kept]
    assert store.lessons.search(CODER, "größe", limit=0) == []


def test_match_finds_words_in_other_forms(store: Store) -> None:
    kept = store.lessons.add(lesson("running migrations needs DATABASE_URL"))
    store.lessons.add(lesson("paint the fence green"))

    assert found(store, "run the migration with databaseUrl") == [kept.id]


def test_match_prefers_the_lesson_that_shares_more_and_rarer_words(store: Store) -> None:
    for number in range(5):
        store.lessons.add(lesson(f"deploy service number{number}"))
    kept = store.lessons.add(lesson("deploy service with the kubernetes manifest"))

    assert found(store, "deploy the kubernetes manifest of the service")[0] == kept.id


def test_match_knows_the_same_failure_and_the_same_call(store: Store) -> None:
    failure = store.lessons.add(lesson("alpha", signatures=("s1",)))
    call = store.lessons.add(lesson("beta", calls=("bash git push",)))

    by_failure = store.lessons.match(CODER, Query("error", "", signature="s1"), now=NOW, limit=9)
    by_call = store.lessons.match(
        CODER, Query("action", "", calls=("bash git push",)), now=NOW, limit=9
    )

    assert [(m.lesson.id, m.is_same_failure) for m in by_failure] == [(failure.id, True)]
    assert [(m.lesson.id, m.calls) for m in by_call] == [(call.id, (("bash git push", 1),))]


def test_at_a_failure_words_find_only_what_somebody_wrote(store: Store) -> None:
    mined = store.lessons.add(lesson("Build fails on a missing header", origin=MINED, kinds=("k",)))
    written = store.lessons.add(lesson("Build fails on a missing library", origin="note"))
    asked = query("error", "the build fails: missing header")._replace(is_failure=True)

    by_words = store.lessons.match(CODER, asked, now=NOW, limit=9)
    by_kind = store.lessons.match(CODER, asked._replace(kind="k"), now=NOW, limit=9)

    assert [match.lesson.id for match in by_words] == [written.id]
    assert {match.lesson.id for match in by_kind} == {mined.id, written.id}


@pytest.mark.parametrize("status", [Status.QUARANTINED, Status.RETIRED, Status.SUPERSEDED])
def test_only_active_lessons_are_matched_and_searched(store: Store, status: str) -> None:
    kept = store.lessons.add(lesson("canary"))
    store.lessons.update(kept._replace(status=status))

    assert found(store, "canary") == []
    assert store.lessons.search(CODER, "canary", limit=9) == []
    assert len(store.lessons.recent(CODER, status=status, limit=9)) == 1

    store.lessons.update(kept)

    assert found(store, "canary") == [kept.id]


def test_an_expired_lesson_is_not_matched(store: Store) -> None:
    store.lessons.add(lesson("canary", expires_at=NOW - timedelta(seconds=1)))

    assert found(store, "canary") == []


def test_an_edited_lesson_is_found_by_its_new_words_only(store: Store) -> None:
    kept = store.lessons.add(lesson("alpha"))
    store.lessons.update(kept._replace(situation="omega", correction="omega"))

    assert found(store, "alpha") == []
    assert found(store, "omega") == [kept.id]
    assert store.lessons.search(CODER, "alpha", limit=9) == []


def test_a_deleted_lesson_is_gone(store: Store) -> None:
    kept = store.lessons.add(lesson("canary"))
    store.lessons.delete(CODER, kept.id)

    assert found(store, "canary") == []
    assert store.lessons.search(CODER, "canary", limit=9) == []
    with pytest.raises(NotFound):
        store.lessons.get(CODER, kept.id)


@pytest.mark.parametrize("way", ["deleted", Status.RETIRED, Status.QUARANTINED])
def test_a_lesson_that_is_gone_changes_no_weight_of_another(store: Store, way: str) -> None:
    alone = CODER._replace(tenant="alone")
    for scope in (alone, CODER):
        store.lessons.add(lesson("the canary sings", scope))
    gone = store.lessons.add(lesson("a cage for the canary"))

    if way == "deleted":
        store.lessons.delete(CODER, gone.id)
    else:
        store.lessons.update(gone._replace(status=way))

    asked = query("turn", "which canary sings")
    one, other = (
        store.lessons.match(scope, asked, now=NOW, limit=9)[0] for scope in (alone, CODER)
    )
    assert (other.words, other.rarity) == (one.words, one.rarity)


def test_a_tenant_is_told_where_its_lessons_are_most_first(store: Store) -> None:
    for number in range(2):
        store.lessons.add(lesson(f"number {number}"))
    another = CODER._replace(agent="another", project=None)
    store.lessons.add(lesson(scope=another))
    gone = store.lessons.add(lesson(scope=CODER._replace(project="empty")))
    store.lessons.delete(gone.scope, gone.id)
    store.lessons.add(lesson(scope=CODER._replace(tenant="other", agent="third")))

    assert list(store.shelves(CODER.tenant).items()) == [(CODER, 2), (another, 1)]
    assert store.shelves("nobody") == {}


def test_guards_are_those_that_are_in_force_in_the_scope(store: Store) -> None:
    kept = store.lessons.add(lesson("alpha", guard=True))
    store.lessons.add(lesson("beta"))
    store.lessons.add(lesson("gamma", guard=True, status="retired"))
    store.lessons.add(lesson("delta", guard=True, status="quarantined"))
    store.lessons.add(lesson("epsilon", Scope("acme", "writer", "api"), guard=True))

    assert store.lessons.guards(CODER) == [kept]

    store.lessons.update(kept._replace(guard=False))
    assert store.lessons.guards(CODER) == []


APART = CODER._replace(project="api@apart-0123456789abcdef")


def test_a_folder_that_only_claims_a_project_reads_its_lessons(store: Store) -> None:
    everywhere = store.lessons.add(lesson("canary", CODER.everywhere()))
    theirs = store.lessons.add(lesson("canary"))
    own = store.lessons.add(lesson("canary", APART))

    assert sorted(found(store, "canary", APART)) == [everywhere.id, theirs.id, own.id]
    assert store.lessons.get(APART, theirs.id) == theirs
    assert len(store.lessons.recent(APART, status=Status.ACTIVE, limit=9)) == 3
    assert len(store.lessons.search(APART, "canary", limit=9)) == 3


@pytest.mark.parametrize(
    "stranger",
    [
        CODER,
        CODER.everywhere(),
        APART._replace(project="api@apart-fedcba9876543210"),
        APART._replace(tenant="other"),
        APART._replace(agent="writer"),
    ],
    ids=str,
)
def test_what_such_a_folder_learns_is_seen_by_nobody_else(store: Store, stranger: Scope) -> None:
    kept = store.lessons.add(lesson("canary", APART))

    assert found(store, "canary", stranger) == []
    with pytest.raises(NotFound):
        store.lessons.get(stranger, kept.id)


@pytest.mark.parametrize("project", ["api@apart-", "api@apart-0123", "@apart-0123456789abcdef"])
def test_a_name_that_only_looks_so_is_a_project_of_its_own(store: Store, project: str) -> None:
    store.lessons.add(lesson("canary"))

    assert found(store, "canary", CODER._replace(project=project)) == []


def test_a_search_lists_first_what_was_shown_most_often_then_last(store: Store) -> None:
    rare = store.lessons.add(lesson("canary one"))
    often = store.lessons.add(lesson("canary two", hits=3))
    late = store.lessons.add(lesson("canary three", last_seen_at=LATER))
    last = store.lessons.add(lesson("canary four"))

    assert store.lessons.search(CODER, "canary", limit=9) == [often, late, last, rare]


def test_search_gives_as_many_as_are_asked_for_however_rare_they_are(store: Store) -> None:
    for number in range(250):
        text = "the canary sings" if number % 50 == 0 else "the canary swims, a busy fly sings"
        store.lessons.add(lesson(f"{text} {number}"))

    assert len(store.lessons.search(CODER, "canary sings", limit=1)) == 1
    assert len(store.lessons.search(CODER, "canary sings", limit=2)) == 2
    assert len(store.lessons.search(CODER, "canary sings", limit=9)) == 5
    assert len(store.lessons.search(CODER, "canary", limit=999)) == 250


def test_a_lesson_that_could_not_be_read_back_is_refused(store: Store) -> None:
    kept = store.lessons.add(lesson())

    with pytest.raises(InvalidInput, match="importance"):
        store.lessons.add(lesson(importance="high"))
    with pytest.raises(InvalidInput, match="tags"):
        store.lessons.update(kept._replace(tags=(7,)))  # type: ignore[arg-type]

    assert store.lessons.recent(CODER, status=Status.ALL, limit=9) == [kept]


def test_the_proven_lessons_that_were_met_most_often_are_candidates_too(store: Store) -> None:
    values = [(2, NOW), (3, NOW), (2, LATER), (1, LATER), (2, NOW)]
    kept = [
        store.lessons.add(lesson(f"{at}", met=met, updated_at=when))
        for at, (met, when) in enumerate(values)
    ]
    store.lessons.add(lesson("other", met=9, status=Status.CANDIDATE))

    def usual(count: int) -> list[int]:
        asked = Query("turn", "", usual=count)
        matches = store.lessons.match(CODER, asked, now=NOW, limit=9)
        return [kept.index(match.lesson) for match in matches]

    assert usual(9) == [1, 2, 4, 0]
    assert usual(2) == [1, 2]
    assert usual(0) == []


def test_what_is_near_in_meaning_is_seen_in_its_scope_only(store: Store) -> None:
    own = store.lessons.add(lesson("alpha"))
    other = store.lessons.add(lesson("beta", Scope("other", "coder", "api")))
    asked = Query("turn", "", near=((own.id, 0.9, 0.5), (other.id, 0.8, 0.4), (999, 0.7, 0.3)))

    (match,) = store.lessons.match(CODER, asked, now=NOW, limit=9)

    assert (match.lesson, match.cosine, match.meaning) == (own, 0.9, 0.5)

"""Lessons as things people handle: packs, undo, guards, and the stores of other systems."""

from __future__ import annotations

import json
import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import InvalidInput, NotFound
from hardwon.core.values.lesson import Evidence
from hardwon.core.values.lesson_formats import (
    check_lesson,
    from_lines,
    from_markdown,
    to_lines,
    to_markdown,
)
from hardwon.engine.pipeline.inject import tokens
from hardwon.knowledge.reading.guards import guard_of
from tests.samples import CODER, NOW, lesson
from tests.stored import stored


@pytest.fixture
def coder(tmp_path: Path) -> hardwon.Agent:
    return hardwon.open(tmp_path / "home").agent("coder")


def test_edits_are_remembered_and_taken_back_newest_first(coder: hardwon.Agent) -> None:
    kept = coder.lessons.add("when deploying", "use the blue cluster", tags=("deploy",))
    coder.lessons.edit(kept.id, correction="use the green cluster")

    coder.lessons.edit(kept.id, correction="use the red cluster")

    told = [(change.act, change.before.correction) for change in coder.lessons.history(kept.id)]
    assert told == [("edit", "use the green cluster"), ("edit", "use the blue cluster")]
    assert coder.lessons.undo(kept.id).correction == "use the green cluster"
    assert coder.lessons.undo(kept.id) == coder.lessons.get(kept.id)
    assert coder.lessons.get(kept.id).correction == "use the blue cluster"
    with pytest.raises(NotFound):
        coder.lessons.undo()
    with pytest.raises(InvalidInput, match="id"):
        coder.lessons.edit(kept.id, id=7)  # type: ignore[call-arg]


def test_a_fix_that_a_person_tells_is_proven_and_stays_as_it_was_told(
    coder: hardwon.Agent,
) -> None:
    call, error = "make deploy", "make: *** No rule to make target 'deploy'."
    coder.after_action("bash", call, output=error)
    coder.end_run()
    (met,) = coder.lessons.list(status="seen")

    coder.lessons.edit(met.id, correction="Run `make release` instead.")
    told = coder.after_action("bash", call, output=error)

    assert "make release" in told.text
    kept = coder.lessons.get(met.id)
    assert (kept.status, kept.author) == ("proven", "person")
    assert kept.correction == "Run `make release` instead."


def test_an_approved_lesson_stays_approved_when_its_failure_is_met_again(
    coder: hardwon.Agent,
) -> None:
    error = "rm: cannot remove 'build': Is a directory"
    coder.after_action("bash", "rm build", output=error)
    coder.after_action("bash", "rm -r build")
    coder.end_run()
    (met,) = coder.lessons.list(status="candidate")
    coder.lessons.approve(met.id)

    coder.after_action("bash", "rm build", output=error)

    assert coder.lessons.get(met.id).status == "proven"


def test_lessons_are_merged_into_one_and_each_can_be_restored(coder: hardwon.Agent) -> None:
    first = coder.lessons.add("when deploying", "use the blue cluster", kinds=("a",))
    second = coder.lessons.add("when a violin is out of tune", "turn its pegs", kinds=("b",))

    merged = coder.lessons.merge(first.id, second.id)

    assert (set(merged.kinds), merged.scope) == ({"a", "b"}, first.scope)
    assert [one.id for one in coder.lessons.list()] == [merged.id]
    assert {coder.lessons.get(one.id).status for one in (first, second)} == {"superseded"}
    assert coder.lessons.undo(first.id) == first


def test_another_agent_can_neither_see_nor_undo_a_change(tmp_path: Path) -> None:
    hw = hardwon.open(tmp_path)
    kept = hw.agent("coder").lessons.add("when deploying", "use blue")
    hw.agent("coder").lessons.edit(kept.id, correction="use green")

    assert hw.agent("writer").lessons.history() == []
    with pytest.raises(NotFound):
        hw.agent("writer").lessons.undo(kept.id)


@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_a_pack_carries_lessons_to_another_store(
    coder: hardwon.Agent, tmp_path: Path, form: str
) -> None:
    coder.lessons.add("when deploying", "use `blue` — not “green”", tags=["deploy", "größe"])
    pack = tmp_path / ("pack.md" if form == "markdown" else "pack.jsonl")
    pack.write_text(coder.lessons.export(form=form))
    other = hardwon.open(tmp_path / "other").agent("coder")

    (taken,) = other.lessons.import_from(str(pack), trust=True)
    other.lessons.import_from(str(pack), trust=True)

    assert (taken.situation, taken.correction) == ("when deploying", "use `blue` — not “green”")
    assert taken.tags == ("deploy", "größe")
    assert len(other.lessons.list()) == 1


def test_a_pack_may_hold_more_lessons_than_a_list(
    coder: hardwon.Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardwon.api.lessons.MOST", 2)
    for place in ("staging", "production", "canary"):
        coder.lessons.add(f"when deploying to {place}", f"use the key of {place}")
    with pytest.raises(InvalidInput):
        coder.lessons.list(limit=3)
    pack = tmp_path / "pack.jsonl"
    pack.write_text(coder.lessons.export())

    other = hardwon.open(tmp_path / "other")
    taken = [len(other.agent("coder").lessons.import_from(str(pack))) for _ in range(2)]

    assert len(pack.read_text().splitlines()) == 3
    assert taken[0] == 3
    monkeypatch.undo()
    assert len(other.agent("coder").lessons.list(status="quarantined")) == 3


def test_packs_keep_what_recall_needs() -> None:
    kept = lesson(signatures=("ab",), calls=("= go build", ": go"), guard=True, met=3)

    for back in (
        next(iter(from_lines([to_lines([kept])], CODER))),
        next(iter(from_markdown(to_markdown([kept]), CODER))),
    ):
        kept_fields = (back.signatures, back.calls, back.guard, back.met)
        assert kept_fields == (kept.signatures, kept.calls, kept.guard, kept.met)


def test_the_numbers_of_a_pack_are_brought_within_their_bounds() -> None:
    stated = '{"correction": "c", "met": 5e9, "importance": 7, "confidence": -1}'
    (of_lines,) = from_lines([stated], CODER)
    odd = "## s\n- **Correction:** c\n- **Met:** many\n- **Importance:** 7\n"
    (of_markdown,) = from_markdown(odd, CODER)

    assert (of_lines.met, of_lines.importance, of_lines.confidence) == (1_000_000, 1.0, 0.0)
    assert (of_markdown.met, of_markdown.importance, of_markdown.confidence) == (1, 1.0, 0.6)
    with pytest.raises(InvalidInput, match="invalid hits, met"):
        check_lesson(of_lines._replace(met=2**53 + 1, hits=-1))


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"correction": 7}', '{"correction": " "}'])
def test_a_broken_pack_names_the_line(coder: hardwon.Agent, tmp_path: Path, line: str) -> None:
    pack = tmp_path / "pack.jsonl"
    pack.write_text(f"\n{line}\n")

    with pytest.raises(InvalidInput, match="line 2"):
        coder.lessons.import_from(str(pack), trust=True)


def test_a_memory_index_is_imported(coder: hardwon.Agent, tmp_path: Path) -> None:
    content = (
        "LESSON: When editing large Go files\nMISTAKE: rewrote it all\n"
        "CORRECTION: Use Edit\nTRIGGER: error"
    )
    facts = [
        {"id": "a" * 24, "category": "lesson", "content": content, "tags": ["reflexion", "go"]},
        {"id": "b" * 24, "category": "fact", "content": "the sky is blue"},
    ]
    path = tmp_path / "memory_index.json"
    path.write_text(json.dumps(facts))

    (taken,) = coder.lessons.import_from(str(path), trust=True)

    assert taken.render() == content
    assert taken.tags == ("go",)


def test_the_two_lessons_that_ate_each_other_are_both_kept(
    coder: hardwon.Agent, tmp_path: Path
) -> None:
    texts = [
        "LESSON: When calling the GitHub API in a loop\nMISTAKE: ignored the rate limit\n"
        "CORRECTION: read the rate limit header and wait\nTRIGGER: error",
        "LESSON: When calling the GitLab API in a loop\nMISTAKE: ignored the pagination\n"
        "CORRECTION: follow the pagination header until the end\nTRIGGER: error",
    ]
    facts = [{"id": str(n), "category": "lesson", "content": t} for n, t in enumerate(texts)]
    path = tmp_path / "memory_index.json"
    path.write_text(json.dumps(facts))

    coder.lessons.import_from(str(path), trust=True)

    assert sorted(one.render() for one in coder.lessons.list()) == sorted(texts)


def test_a_table_of_lessons_is_imported_for_its_agent(coder: hardwon.Agent, tmp_path: Path) -> None:
    path = tmp_path / "tenant.db"
    with sqlite3.connect(path) as db:
        db.execute(
            "CREATE TABLE lessons (id INTEGER PRIMARY KEY, tenant_id, agent_id, signature,"
            " lesson_text, hit_count, created_at, updated_at, last_seen_at)"
        )
        for number, agent in enumerate(("coder", "writer")):
            row = (number, 1, agent, "/fetch behind cloudflare", "use a token", 4, 1, 2, 3)
            db.execute("INSERT INTO lessons VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    db.close()

    (taken,) = coder.lessons.import_from(str(path), trust=True)

    assert (taken.situation, taken.correction) == ("/fetch behind cloudflare", "use a token")
    dates = taken.created_at, taken.updated_at, taken.last_seen_at
    assert [at.timestamp() for at in dates] == [1, 2, 3]


def test_reflections_of_a_loop_are_imported(coder: hardwon.Agent, tmp_path: Path) -> None:
    folder = tmp_path / "reflections" / "ralph-x"
    folder.mkdir(parents=True)
    own = {
        "reflection_text": "I forgot the empty list",
        "lessons_learned": ["test the empty list first"],
        "credit_assignment": {"root_cause": "no edge case", "failure_category": "edge_case_miss"},
    }
    about = {"loop_id": "ralph-x", "iteration": 0, "task_description": "sum"}
    record = {**about, "self_reflection": own}
    (folder / "001.json").write_text(json.dumps(record))

    (taken,) = coder.lessons.import_from(str(tmp_path / "reflections"), trust=True)

    assert taken.correction == "test the empty list first"
    assert taken.mistake == "no edge case"


def test_insights_are_imported_section_by_section(coder: hardwon.Agent, tmp_path: Path) -> None:
    folder = tmp_path / ".insights"
    folder.mkdir()
    (folder / "git.md").write_text(
        "---\ndate: 2026-01-01\ntags: [git, rebase]\nsession:\n  - s1\n---\n"
        "## Rebase before a merge\nFetch first, then rebase.\n"
    )

    (taken,) = coder.lessons.import_from(str(folder), trust=True)

    assert taken.situation == "Rebase before a merge"
    assert taken.correction == "Fetch first, then rebase."
    assert set(taken.tags) >= {"git", "rebase"}


@pytest.mark.parametrize("name", ["missing.jsonl", "notes.txt"])
def test_what_cannot_be_imported_is_named(coder: hardwon.Agent, tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("hello")

    with pytest.raises(hardwon.HardwonError, match=name):
        coder.lessons.import_from(str(tmp_path / name), trust=True)


def test_the_same_note_or_pack_twice_is_no_meeting(coder: hardwon.Agent, tmp_path: Path) -> None:
    pack = tmp_path / "pack.jsonl"
    pack.write_text('{"situation": "when you deploy", "correction": "use the blue cluster"}\n')
    note = "run the migrations before the tests"
    first = (coder.learn(note), *coder.lessons.import_from(str(pack)))
    again = (coder.learn(note.replace(" ", "  ")), *coder.lessons.import_from(str(pack)))

    assert [(one.id, one.met) for one in again] == [(one.id, 1) for one in first]


def test_lessons_that_disagree_are_both_kept_and_marked(coder: hardwon.Agent) -> None:
    first = coder.lessons.add("when you deploy to staging", "use the blue cluster")
    other = coder.lessons.add("when you deploy to staging", "never touch staging on fridays")

    assert other.id != first.id
    assert Evidence("differs-from", str(first.id)) in other.evidence


def test_explain_tells_why_a_lesson_is_shown_or_not(coder: hardwon.Agent) -> None:
    coder.learn("deploy the kubernetes manifest with apply")
    coder.learn("paint the kubernetes logo green")

    first, second = coder.explain("turn", "deploy the kubernetes manifest")

    assert not first.verdict
    assert first.score > second.score
    assert "by chance" in second.verdict
    assert dict(first.parts)["words"] > 0
    with pytest.raises(InvalidInput):
        coder.explain("window", "x")


@pytest.mark.parametrize("home", ["memory:", "disk"])
def test_a_search_finds_the_tags_that_show_prints(home: str, tmp_path: Path) -> None:
    with hardwon.open(home if home == "memory:" else tmp_path / home) as hw:
        coder = hw.agent("coder")
        noted = coder.learn("use Edit for large Go files")
        missing = "sh: pytest: command not found"
        coder.after_action("bash", "pytest shop/cart/test_a.py", output=missing, failed=True)
        coder.after_action("bash", "bin/test shop/cart/test_a.py", output="1 passed")
        (reflected,) = [one for one in coder.lessons.list() if one.trigger == "error"]

        assert {one.id for one in coder.lessons.search("reflexion")} == {noted.id, reflected.id}
        assert [one.id for one in coder.lessons.search("trigger:error")] == [reflected.id]
        assert [one.id for one in coder.lessons.search("Trigger:Manual")] == [noted.id]
        assert [one.id for one in coder.lessons.search("user-supplied")] == [noted.id]
        assert list(coder.lessons.search("trigger:goal")) == []


def test_lists_and_searches_give_so_many_unless_more_are_asked_for(tmp_path: Path) -> None:
    coder = hardwon.open(tmp_path / "home").agent("coder")
    with stored(tmp_path / "home") as store, store.together():
        for number in range(210):
            store.lessons.add(lesson(f"lighthouse {number}", coder.scope))

    assert len(coder.lessons.list()) == 100
    assert len(coder.lessons.list(limit=10_000)) == 210
    assert len(coder.lessons.search("lighthouse")) == 20
    assert len(coder.lessons.search("lighthouse", limit=200)) == 200
    assert len(coder.lessons.search("lighthouse", limit=1)) == 1


@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_a_limit_out_of_bounds_is_named(coder: hardwon.Agent, limit: int) -> None:
    with pytest.raises(InvalidInput, match=rf"limit must be in 1 … 10000, not {limit}"):
        coder.lessons.list(limit=limit)
    with pytest.raises(InvalidInput, match="1 … 200"):
        coder.lessons.search("x", limit=201)


def test_a_situation_has_a_limit(coder: hardwon.Agent) -> None:
    assert coder.lessons.add("s" * 800, "do it").situation == "s" * 800
    with pytest.raises(InvalidInput, match="situation"):
        coder.lessons.add("s" * 801, "do it")


def test_lessons_of_other_scopes_are_told_without_those_seen_here(tmp_path: Path) -> None:
    hw = hardwon.open(tmp_path / "home")
    for project in ("api", "web", None):
        hw.agent("coder", project=project).learn(f"a lesson of {project}")
    here = hw.agent("coder", project="api").lessons

    (elsewhere,) = here.elsewhere()

    assert (elsewhere.project, here.elsewhere()[elsewhere]) == ("web", 1)
    assert here.place_of(2) == elsewhere
    assert here.place_of(99) is None


def test_only_different_lessons_of_one_scope_are_merged(tmp_path: Path) -> None:
    hw = hardwon.open(tmp_path / "home")
    own, other = hw.agent("coder").lessons, hw.agent("coder", project="api").lessons
    first = own.add("when alpha", "use alpha").id
    third = other.add("when charlie", "use charlie").id

    for numbers in ((first,), (first, first)):
        with pytest.raises(InvalidInput, match="two or more"):
            own.merge(*numbers)
    with pytest.raises(InvalidInput, match="different scopes"):
        other.merge(first, third)


def test_an_import_tells_how_far_it_is(coder: hardwon.Agent, tmp_path: Path) -> None:
    pack, told = tmp_path / "pack.jsonl", []
    pack.write_text(to_lines([lesson("alpha"), lesson("bravo")]))

    coder.lessons.import_from(str(pack), tell=lambda done, of: told.append((done, of)))

    assert told == [(0, 2), (1, 2)]


def test_a_digest_has_so_many_tokens_unless_more_are_wanted(coder: hardwon.Agent) -> None:
    for word in ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot"):
        coder.learn(f"{word} " * 60)

    assert tokens(coder.digest()) <= 300 < tokens(coder.digest(tokens=1000))
    assert coder.digest() == coder.digest(tokens=300) != coder.digest(tokens=200)


def test_a_reported_outcome_is_one_short_line(coder: hardwon.Agent, tmp_path: Path) -> None:
    coder.learn("Make the folder with mkdir -p")
    shown = coder.before_turn("make the folder with mkdir")
    coder.report(shown, "it\nhelped " + "x" * 300)

    with stored(tmp_path / "home") as store:
        (delivery,) = store.deliveries.recent(coder.scope, limit=1)
    assert len(delivery.outcome) == 200
    assert delivery.outcome.startswith("it helped x")


def test_a_pack_that_holds_another_lesson_now_adds_that(
    coder: hardwon.Agent, tmp_path: Path
) -> None:
    pack = tmp_path / "pack.jsonl"
    for text in ("alpha", "bravo", "alpha"):
        pack.write_text(to_lines([lesson(text)]))
        coder.lessons.import_from(str(pack), trust=True)

    assert sorted(one.correction for one in coder.lessons.list()) == ["alpha", "bravo"]


def test_guards_add_up_and_are_lifted_together(coder: hardwon.Agent) -> None:
    kept = coder.learn("ask first")
    first = coder.lessons.guard(kept.id, call="git push --force")
    both = coder.lessons.guard(kept.id, call="rm *", tool="shell")

    assert guard_of(first).calls == ("bash git push --force",)
    assert guard_of(both).calls == ("bash git push --force", "shell rm *")
    assert coder.before_action("bash", "git push --force").denied

    lifted = coder.lessons.guard(kept.id, on=False)
    assert (lifted.guard, lifted.calls) == (False, ())
    assert not coder.before_action("bash", "git push --force").denied


def test_a_lesson_without_a_call_needs_one_for_a_guard(coder: hardwon.Agent) -> None:
    kept = coder.learn("ask first")

    with pytest.raises(InvalidInput, match="names no call"):
        coder.lessons.guard(kept.id)
    assert not coder.lessons.guard(kept.id, on=False).guard


def test_a_change_is_of_the_lesson_with_all_its_hits(coder: hardwon.Agent) -> None:
    kept = coder.learn("Make the folder with mkdir -p")
    assert coder.before_turn("make the folder with mkdir").lessons
    coder.lessons.edit(kept.id, correction="Make it by hand")

    (change,) = coder.lessons.history(kept.id)
    assert change.before.hits == 1


def test_a_digest_is_made_of_the_fifty_that_were_consulted_last(tmp_path: Path) -> None:
    coder = hardwon.open(tmp_path / "home").agent("coder")
    with stored(tmp_path / "home") as store:
        for number in range(51):
            seen = NOW + timedelta(minutes=number)
            known = lesson(f"way{number}", coder.scope, last_seen_at=seen, met=99 - number)
            store.lessons.add(known)

    rows = coder.digest(tokens=5000).splitlines()[1:-1]

    assert len(rows) == 50
    assert "way1 " in rows[0]

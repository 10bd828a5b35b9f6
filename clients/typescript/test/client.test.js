// Against a real server: HARDWON_URL and HARDWON_KEY name it, HARDWON_AWAY an address without one.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Hardwon, Problem } from "../index.js";

const MKDIR = { command: "mkdir out/nightly" };
const ERROR = "mkdir: cannot create directory 'out/nightly': No such file or directory";
const options = { key: process.env.HARDWON_KEY, patience: 30_000 };
const hw = new Hardwon(process.env.HARDWON_URL, options);

test("a lesson comes back before the next turn", async () => {
  const coder = hw.agent("coder", { project: "acme/api" });

  const lesson = await coder.learn("make the folder of the nightly report with `mkdir -p`");
  const known = await coder.beforeTurn("create a folder for the nightly report");

  assert.match(known.text, /KNOWN PITFALLS/);
  assert.deepEqual(known.lessons.map((one) => one.id), [lesson.id]);
  await coder.report(known, "helped");
});

test("a failure comes back when it is met again", async () => {
  for (const day of ["monday", "tuesday"]) {
    const coder = hw.agent("builder");
    const met = await coder.afterAction("bash", MKDIR, { output: new Error(ERROR), failed: true });
    assert.equal(met.failed, true);
    if (day === "tuesday") assert.match(met.text, /`mkdir -p out\/nightly`/);
    await coder.afterAction("bash", { command: "mkdir -p out/nightly" });
    const job = await coder.afterRun({ task: `Folder for ${day}`, error: ERROR });
    assert.equal(job.trigger, "error");
  }
  const warned = await hw.agent("builder").beforeAction("bash", MKDIR);
  assert.match(warned.text, /`mkdir -p out\/nightly`/);
});

test("a run that went well needs no reflection", async () => {
  const coder = hw.agent("calm");
  assert.equal(await coder.afterRun({ task: "fine" }), null);
  await coder.endRun();
  assert.equal(typeof (await coder.digest()), "string");
});

test("people look after lessons", async () => {
  const { lessons } = hw.agent("keeper");
  const first = await lessons.add("using tabs", "use spaces", { tags: ["style"] });
  const second = await lessons.add("deploying on a Friday", "wait until Monday");

  assert.deepEqual((await lessons.search("friday")).map((one) => one.id), [second.id]);
  assert.equal((await lessons.edit(first.id, { correction: "use four" })).correction, "use four");
  assert.equal((await lessons.history(first.id))[0].act, "edit");
  assert.equal((await lessons.undo(first.id)).correction, "use spaces");
  assert.equal((await lessons.guard(second.id, { call: "deploy now" })).guard, true);
  assert.equal((await hw.agent("keeper").beforeAction("bash", "deploy now")).denied, true);
  assert.equal((await lessons.retire(second.id)).status, "retired");
  const found = [];
  for await (const lesson of lessons.all()) found.push(lesson.id);
  assert.deepEqual(found, [first.id]);
  const pack = await lessons.export();
  const [held] = await hw.agent("taker").lessons.import(pack);
  assert.equal(held.status, "quarantined");
  assert.equal((await hw.agent("taker").lessons.approve(held.id)).status, "proven");
  await lessons.delete(first.id);
  await assert.rejects(lessons.get(first.id), (error) => {
    assert.ok(error instanceof Problem);
    assert.equal(error.status, 404);
    return true;
  });
});

test("a mistake in a request is named", async () => {
  await assert.rejects(hw.agent("a").learn(""), /says nothing|empty|lesson/);
  await assert.rejects(hw.request("GET", "/v1/lessons", { query: { limit: 0 } }), /limit/);
});

test("any operation can be asked for", async () => {
  const me = await hw.request("GET", "/v1/me");
  assert.equal(me.role, "admin");
});

test("a server that is away costs a turn nothing but lessons", async () => {
  const heard = [];
  const away = new Hardwon(process.env.HARDWON_AWAY, { ...options, onTrouble: (e) => heard.push(e) });

  assert.equal((await away.agent("coder").beforeTurn("anything")).text, "");
  assert.equal(heard.length, 1);
  await assert.rejects(away.agent("coder").afterRun({ task: "t", error: "boom" }));
});

test("a key that is refused is told", async () => {
  const stranger = new Hardwon(process.env.HARDWON_URL, { key: "hw_0_wrong" });
  assert.equal((await stranger.agent("a").beforeTurn("x")).text, "");
  await assert.rejects(stranger.agent("a").learn("x"), (error) => error.status === 401);
  assert.throws(() => new Hardwon("https://host", { key: "" }), /key/);
});

test("what has to arrive is tried again and done once", async () => {
  const names = new Set();
  let tries = 0;
  const flaky = async (url, request) => {
    tries += 1;
    names.add(request.headers["Idempotency-Key"]);
    const answer = await fetch(url, request);
    if (tries < 3) throw new TypeError("the answer was lost");
    return answer;
  };
  const unsure = new Hardwon(process.env.HARDWON_URL, { ...options, fetch: flaky });

  await unsure.agent("unsure").learn("lost answers are asked for again");

  assert.equal(tries, 3);
  assert.equal(names.size, 1);
  const [lesson, ...others] = (await hw.agent("unsure").lessons.page()).items;
  assert.equal(others.length, 0);
  assert.equal(lesson.met, 1);
});

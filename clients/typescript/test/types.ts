// What a type checker must accept, and what it must refuse.
import { Hardwon, Problem, type Injection, type Job, type Lesson } from "../index.js";
import { Middleware } from "../middleware.js";

export async function accepted(): Promise<void> {
  const hw = new Hardwon("https://host", { key: "k", patience: 200 });
  const coder = hw.agent("coder", { project: "acme/api", run: "r" });
  const known: Injection = await coder.beforeTurn("prompt");
  const job: Job | null = await coder.afterRun({ task: "t", error: new Error("boom") });
  const lesson: Lesson = await coder.learn(known.text + (job?.id ?? ""));
  for await (const one of coder.lessons.all({ status: "all" })) await coder.lessons.get(one.id);
  await coder.lessons.edit(lesson.id, { tags: ["a"] });
  const me = await hw.request<{ role: string }>("GET", "/v1/me");
  throw new Problem(500, me.role);
}

export async function watched(memory: Middleware): Promise<string | number> {
  const tools = memory.tools({ count: { execute: async (args: { of: string }) => args.of.length } });
  const length: number = await tools.count.execute({ of: "pears" });
  await memory.end({ error: "boom" });
  return memory.watch("count", tools.count.execute)({ of: String(length) });
}

export function refused(hw: Hardwon): void {
  // @ts-expect-error a key is needed
  new Hardwon("https://host", {});
  // @ts-expect-error a run has a task
  void hw.agent("a").afterRun({ error: "boom" });
  // @ts-expect-error lessons are values
  void hw.agent("a").lessons.get(1).then((one) => (one.met = 2));
}

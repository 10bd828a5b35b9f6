// With the real SDKs, a real server of hardwon (HARDWON_URL, HARDWON_KEY) and a scripted model.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool as agentTool } from "@openai/agents";
import { generateText, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { Hardwon } from "hardwon";
import { Middleware } from "hardwon/middleware";
import OpenAI from "openai";
import { z } from "zod";

const TASK = "Report the stock of the store north";
const WORKS = "kiosk stock --store north";
const ERROR = `kiosk: error: name a store, such as \`${WORKS}\``;
const hw = new Hardwon(process.env.HARDWON_URL, { key: process.env.HARDWON_KEY, patience: 30_000 });
const parameters = z.object({ command: z.string() });
const requests = [];

/** A model that is deaf to the start: it asks without a store, and names one after an answer that does. */
function answer({ messages }) {
  requests.push(messages);
  const results = messages.filter((message) => message.role === "tool");
  const last = JSON.stringify(results.at(-1)?.content ?? "");
  if (last.includes("pears")) return { role: "assistant", content: "There are 12 pears." };
  const command = last.includes(WORKS) ? WORKS : "kiosk stock";
  const call = { name: "kiosk", arguments: JSON.stringify({ command }) };
  const calls = [{ index: 0, id: `call_${results.length}`, type: "function", function: call }];
  return { role: "assistant", content: null, tool_calls: calls };
}

const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  const asked = JSON.parse(body);
  const message = answer(asked);
  const about = { id: "r", created: 1, model: "m" };
  const finish_reason = message.tool_calls ? "tool_calls" : "stop";
  if (asked.stream) {
    response.setHeader("content-type", "text/event-stream");
    const chunk = (delta, finish) =>
      `data: ${JSON.stringify({ ...about, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    response.end(`${chunk(message, null)}${chunk({}, finish_reason)}data: [DONE]\n\n`);
    return;
  }
  const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
  response.setHeader("content-type", "application/json");
  const choices = [{ index: 0, message, finish_reason }];
  response.end(JSON.stringify({ ...about, object: "chat.completion", choices, usage }));
});
let baseURL;

before(async () => {
  setTracingDisabled(true);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseURL = `http://127.0.0.1:${server.address().port}/v1`;
});
after(() => server.close());

/** A program, and how often it failed. */
function kiosk() {
  const state = { failed: 0 };
  state.execute = async ({ command }) => {
    if (command === WORKS) return "pears 12";
    state.failed += 1;
    throw new Error(ERROR);
  };
  return state;
}

async function withAiSdk(memory, { execute }) {
  const model = createOpenAICompatible({ name: "m", baseURL })("m");
  const done = await generateText({
    model: wrapLanguageModel({ model, middleware: memory.model }),
    tools: memory.tools({ kiosk: tool({ inputSchema: parameters, execute }) }),
    stopWhen: stepCountIs(9),
    system: "You are a clerk.",
    prompt: TASK,
  });
  return done.text;
}

async function withAiSdkStreaming(memory, { execute }) {
  const model = createOpenAICompatible({ name: "m", baseURL })("m");
  const stream = streamText({
    model: wrapLanguageModel({ model, middleware: memory.model }),
    tools: memory.tools({ kiosk: tool({ inputSchema: parameters, execute }) }),
    stopWhen: stepCountIs(9),
    prompt: TASK,
  });
  return await stream.text;
}

async function withOpenAiAgents(memory, { execute }) {
  const client = new OpenAI({ baseURL, apiKey: "none" });
  const agent = new Agent({
    name: "clerk",
    instructions: "You are a clerk.",
    model: new OpenAIChatCompletionsModel(client, "m"),
    tools: [
      agentTool({
        name: "kiosk",
        description: "Run the kiosk program",
        parameters,
        execute: memory.watch("kiosk", execute),
        errorFunction: (_, error) => String(error), // by default the model is not told what went wrong
      }),
    ],
  });
  const done = await run(agent, TASK, { callModelInputFilter: memory.filter });
  return done.finalOutput;
}

for (const work of [withAiSdk, withAiSdkStreaming, withOpenAiAgents]) {
  test(`${work.name}: a failure of the first run is prevented in the next ones`, async () => {
    const failed = [];
    for (const number of [1, 2, 3]) {
      requests.length = 0;
      const memory = new Middleware(hw.agent(work.name, { project: "acme/shop" }));
      const program = kiosk();
      assert.equal(await work(memory, program), "There are 12 pears.");
      await memory.end();
      failed.push(program.failed);
      const told = requests.map((messages) =>
        messages.filter((one) => one.role === "system").map((one) => one.content).join("\n"),
      );
      const isTold = told.every((text) => text.includes(WORKS));
      assert.equal(isTold, number > 1, `run ${number}: ${told}`);
      if (work !== withAiSdkStreaming) assert.ok(told.every((text) => text.includes("You are a clerk.")));
    }
    assert.deepEqual(failed, [1, 0, 0]);
  });
}

test("a server that is away costs nothing but lessons", async () => {
  const away = new Hardwon(process.env.HARDWON_AWAY, { key: "none" });
  const program = kiosk();
  assert.equal(await withAiSdk(new Middleware(away.agent("clerk")), program), "There are 12 pears.");
  assert.equal(program.failed, 1);
});

// The memory of an agent in the Vercel AI SDK and the OpenAI Agents SDK; neither is imported here.

/** One run of an agent: what it is told, and the calls of its tools. */
export class Middleware {
  #agent;
  #told = []; // texts or promises of them: at the start, then with each prompt
  #prompts = [];

  constructor(agent) {
    this.#agent = agent;
    this.model = Object.freeze({
      specificationVersion: "v3",
      transformParams: async ({ params }) => ({ ...params, prompt: await this.#inPrompt(params.prompt) }),
    });
    this.filter = async ({ modelData }) => {
      const text = await this.#textFor(lastPrompt(modelData.input));
      return text ? { ...modelData, instructions: joined(modelData.instructions, text) } : modelData;
    };
  }

  tools(tools) {
    const watched = ([name, tool]) => [
      name,
      tool.execute ? { ...tool, execute: this.watch(name, tool.execute.bind(tool)) } : tool,
    ];
    return Object.fromEntries(Object.entries(tools).map(watched));
  }

  watch(name, execute) {
    return async (args, ...more) => {
      const pitfall = await this.#agent.beforeAction(name, args);
      if (pitfall.denied) return pitfall.text;
      let output;
      try {
        output = await execute(args, ...more);
      } catch (error) {
        const { text } = await this.#agent.afterAction(name, args, { output: error, failed: true });
        if (text && error instanceof Error) error.message = joined(error.message, text);
        throw error;
      }
      const { text } = await this.#agent.afterAction(name, args, { output: asText(output) });
      return text && typeof output === "string" ? joined(output, text) : output;
    };
  }

  async end({ error } = {}) {
    const task = this.#prompts[0] ?? "";
    [this.#told, this.#prompts] = [[], []];
    if (error === undefined) await this.#agent.endRun();
    else await this.#agent.afterRun({ task, error });
  }

  async #inPrompt(prompt) {
    const text = await this.#textFor(lastPrompt(prompt));
    if (!text) return prompt;
    const at = prompt.filter((message) => message.role === "system").length; // they stand in front
    return [...prompt.slice(0, at), { role: "system", content: text }, ...prompt.slice(at)];
  }

  /** What the run was told until now; a request has no memory, so it is told again each time. */
  async #textFor(prompt) {
    if (!this.#told.length) this.#told.push(this.#agent.start());
    await this.#told[0]; // a run begins before its first turn
    if (prompt && !this.#prompts.includes(prompt)) {
      this.#prompts.push(prompt);
      this.#told.push(this.#agent.beforeTurn(prompt));
    }
    return joined(...(await Promise.all(this.#told)).map((one) => one.text));
  }
}

/** The text of the last message of a user, as both SDKs have it. */
function lastPrompt(messages) {
  const content = messages.findLast((message) => message.role === "user")?.content ?? "";
  if (typeof content === "string") return content;
  return content.map((part) => part.text ?? "").join("\n").trim();
}

function joined(...texts) {
  return texts.filter(Boolean).join("\n\n");
}

function asText(output) {
  return typeof output === "string" ? output : (JSON.stringify(output) ?? "");
}

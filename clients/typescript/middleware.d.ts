import type { Agent } from "./index.js";

/**
 * One run of an agent in the Vercel AI SDK or the OpenAI Agents SDK: what it is told goes into its
 * requests, its calls are recorded, and a call that is known to fail is answered with what worked.
 */
export class Middleware {
  constructor(agent: Agent);
  /** For `wrapLanguageModel({ model, middleware: run.model })` of the Vercel AI SDK. */
  readonly model: {
    readonly specificationVersion: "v3";
    transformParams(options: { params: any }): Promise<any>;
  };
  /** For `run(agent, input, { callModelInputFilter: run.filter })` of the OpenAI Agents SDK. */
  readonly filter: (args: { modelData: any }) => Promise<any>;
  /** The tools of the Vercel AI SDK, watched. */
  tools<T extends Record<string, any>>(tools: T): T;
  /** A function of a tool, watched: `tool({ name, …, execute: run.watch(name, execute) })`. */
  watch<A, M extends unknown[], R>(
    name: string,
    execute: (args: A, ...more: M) => R,
  ): (args: A, ...more: M) => Promise<Awaited<R> | string>;
  /** Ends the run, with its error if it failed; the next request begins another one. */
  end(outcome?: { error?: unknown }): Promise<void>;
}

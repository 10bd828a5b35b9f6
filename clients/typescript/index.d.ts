/** What is kept about one kind of failure. */
export interface Lesson {
  readonly id: number;
  readonly agent: string;
  /** Null: it holds everywhere for the agent. */
  readonly project: string | null;
  readonly situation: string;
  readonly mistake: string;
  readonly correction: string;
  readonly tags: readonly string[];
  readonly status: "seen" | "candidate" | "proven" | "quarantined" | "retired" | "superseded";
  readonly trigger: string;
  readonly origin: string;
  readonly author: string;
  readonly importance: number;
  readonly confidence: number;
  /** How often it was shown. */
  readonly hits: number;
  /** How often its failure was met. */
  readonly met: number;
  readonly guard: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_seen_at: string;
  readonly expires_at: string | null;
  readonly fixes: readonly Fix[];
  readonly evidence: readonly Evidence[];
}

/** What cured a failure, and in how many runs. */
export interface Fix {
  readonly sort: string;
  readonly text: string;
  readonly call: string;
  readonly worked: number;
  readonly failed: number;
}

/** Where a lesson comes from. */
export interface Evidence {
  readonly kind: string;
  readonly value: string;
  readonly at: number;
}

/** What a door says. Its text is empty when there is nothing to say. */
export interface Injection {
  /** What to put before the model. */
  readonly text: string;
  readonly lessons: readonly Lesson[];
  /** The delivery, for `agent.report`. */
  readonly id: string;
  /** The run goes in circles and should be stopped. */
  readonly stop: boolean;
  /** The call must not be made; the text says why. */
  readonly denied: boolean;
  /** The verdict on the step, after an action. */
  readonly failed: boolean | null;
  readonly door: string;
  /** After an action: what it has shown that was not known, in one line. */
  readonly learnt: string;
}

/** A request to reflect on a run, safe on the server. */
export interface Job {
  readonly id: string;
  readonly trigger: string;
  readonly task: string;
  readonly outcome: string;
  readonly enqueued_at: string;
}

/** One call of a tool. */
export interface Step {
  readonly tool: string;
  readonly args?: unknown;
  readonly output?: unknown;
  readonly failed?: boolean;
}

/** What was done to a lesson, and the lesson before. */
export interface Change {
  readonly id: number;
  readonly act: string;
  readonly at: string;
  readonly before: Lesson;
}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The cursor of the next page; null at the end. */
  readonly next: string | null;
}

export interface Options {
  /** A key of `hardwon key create`. */
  readonly key: string;
  /** Milliseconds that a door may take; then it says nothing. Default: 500. */
  readonly patience?: number;
  /** Milliseconds that anything else may take. Default: 60,000. */
  readonly timeout?: number;
  /** Hears what a door keeps from the agent's turn. Default: nobody. */
  readonly onTrouble?: (error: unknown) => void;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface Run {
  readonly task: string;
  readonly attempt?: string;
  readonly error?: unknown;
  readonly signals?: Readonly<Record<string, unknown>>;
  /** Those of the run, if they were not told by `afterAction`. */
  readonly steps?: readonly Step[];
}

export interface Words {
  readonly situation?: string;
  readonly mistake?: string;
  readonly correction?: string;
  readonly tags?: readonly string[];
  readonly importance?: number;
  readonly confidence?: number;
}

/** A request that the server refused: `status`, and what to do in `message`. */
export class Problem extends Error {
  constructor(status: number, detail: string, retryAfter?: number | null);
  readonly status: number;
  /** Seconds after which it may be tried again. */
  readonly retryAfter: number | null;
}

/** One server and one key. */
export class Hardwon {
  constructor(url: string, options: Options);
  /** One agent. Its requests share a run, unless it is named. */
  agent(name: string, place?: { project?: string; run?: string }): Agent;
  /** Any operation of `/v1/openapi.json`. */
  request<T = unknown>(
    method: string,
    path: string,
    more?: {
      query?: Readonly<Record<string, unknown>>;
      body?: unknown;
      once?: string;
      timeout?: number;
    },
  ): Promise<T>;
}

/** One agent in one project. The doors never reject, nor take longer than the patience. */
export class Agent {
  readonly lessons: Lessons;
  /** What this project keeps meeting, once a run. */
  start(): Promise<Injection>;
  /** What to put before the model along with this prompt. */
  beforeTurn(prompt: string): Promise<Injection>;
  /** The known pitfall of exactly this call. */
  beforeAction(tool: string, args: unknown): Promise<Injection>;
  /** Records the step; after a failure that is known, what worked the last time. */
  afterAction(
    tool: string,
    args: unknown,
    result?: { output?: unknown; failed?: boolean },
  ): Promise<Injection>;
  /**
   * Queues a reflection when the run is worth one; it is safe when this resolves. It is tried
   * several times and done once; it rejects when the server cannot be reached.
   */
  afterRun(run: Run): Promise<Job | null>;
  /** Ends a run that needs no reflection. */
  endRun(): Promise<void>;
  /** Keeps a lesson you already know. */
  learn(text: string, situation?: string): Promise<Lesson>;
  /** The lessons that were met most often, as a block for the start of a session. */
  digest(tokens?: number): Promise<string>;
  /** Says what came of a delivery: `helped`, `ignored`, `failed`. */
  report(injection: Injection, outcome: string): Promise<void>;
}

/** The lessons that an agent sees: its project's and those that hold everywhere. */
export class Lessons {
  page(asked?: {
    status?: string;
    q?: string;
    limit?: number;
    cursor?: string;
  }): Promise<Page<Lesson>>;
  /** Every lesson, page by page. */
  all(asked?: { status?: string }): AsyncIterableIterator<Lesson>;
  search(text: string, limit?: number): Promise<readonly Lesson[]>;
  get(id: number): Promise<Lesson>;
  add(situation: string, correction: string, more?: Words): Promise<Lesson>;
  edit(id: number, changes: Words & { status?: string }): Promise<Lesson>;
  delete(id: number): Promise<void>;
  approve(id: number): Promise<Lesson>;
  retire(id: number): Promise<Lesson>;
  guard(id: number, asked?: { call?: string; tool?: string; on?: boolean }): Promise<Lesson>;
  undo(id: number): Promise<Lesson>;
  history(id: number): Promise<readonly Change[]>;
  export(form?: "jsonl" | "markdown"): Promise<string>;
  import(pack: string, asked?: { trust?: boolean }): Promise<readonly Lesson[]>;
}

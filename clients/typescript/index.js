// Client of a hardwon server. Needs nothing but `fetch`; see index.d.ts for the types.

const NOTHING = Object.freeze({
  text: "",
  lessons: Object.freeze([]),
  id: "",
  stop: false,
  denied: false,
  failed: null,
  door: "",
  learnt: "",
});
const TRIES = 4;
const FIRST_PAUSE = 200; // milliseconds, doubled after each try

export class Problem extends Error {
  constructor(status, detail, retryAfter = null) {
    super(detail);
    this.name = "Problem";
    this.status = status;
    this.retryAfter = retryAfter;
  }

  get isPassing() {
    return this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

export class Hardwon {
  #url;
  #key;
  #fetch;
  #patience;
  #timeout;
  #onTrouble;

  constructor(url, options) {
    if (!options?.key) throw new TypeError("a server needs a key: new Hardwon(url, { key })");
    this.#url = String(url).replace(/\/+$/, "");
    this.#key = options.key;
    this.#fetch = options.fetch ?? globalThis.fetch;
    this.#patience = options.patience ?? 500;
    this.#timeout = options.timeout ?? 60_000;
    this.#onTrouble = options.onTrouble ?? (() => {});
  }

  agent(name, place = {}) {
    return new Agent(this, { agent: name, project: place.project }, place.run);
  }

  async request(method, path, { query = {}, body, once, timeout = this.#timeout } = {}) {
    const headers = { Authorization: `Bearer ${this.#key}` };
    if (once) headers["Idempotency-Key"] = once;
    const isText = typeof body === "string";
    if (body !== undefined && !isText) headers["Content-Type"] = "application/json";
    const answer = await this.#fetch(this.#url + path + queryOf(query), {
      method,
      headers,
      body: isText || body === undefined ? body : JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(timeout),
    });
    if (!answer.ok) throw await problemOf(answer);
    if (answer.status === 204) return undefined;
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    return isJson ? await answer.json() : await answer.text();
  }

  /** A door: it says nothing rather than fail, or take too long. */
  async door(path, query, body) {
    try {
      return await this.request("POST", path, { query, body, timeout: this.#patience });
    } catch (error) {
      this.#tell(error);
      return NOTHING;
    }
  }

  /** What has to arrive: tried several times under one name, so that it is done once. */
  async surely(path, query, body) {
    const once = newId();
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.request("POST", path, { query, body, once });
      } catch (error) {
        const isPassing = !(error instanceof Problem) || error.isPassing;
        if (!isPassing || tried === TRIES) throw error;
        await sleep(Math.max(FIRST_PAUSE * 2 ** (tried - 1), (error.retryAfter ?? 0) * 1000));
      }
    }
  }

  #tell(error) {
    try {
      this.#onTrouble(error);
    } catch {
      // a listener must not end the agent's turn
    }
  }
}

class Agent {
  #server;
  #place;
  #run;
  #isNamed;

  constructor(server, place, run) {
    this.#server = server;
    this.#place = place;
    this.#isNamed = run !== undefined;
    this.#run = run ?? newId();
    this.lessons = new Lessons(server, place);
  }

  start() {
    return this.#door("/v1/start", {});
  }

  beforeTurn(prompt) {
    return this.#door("/v1/before_turn", { prompt });
  }

  beforeAction(tool, args) {
    return this.#door("/v1/before_action", { tool, args });
  }

  afterAction(tool, args, { output = "", failed } = {}) {
    return this.#door("/v1/after_action", { tool, args, output: textOf(output), failed });
  }

  async afterRun({ error, ...run }) {
    const body = error === undefined ? run : { ...run, error: textOf(error) };
    const { job } = await this.#server.surely("/v1/after_run", this.#query(), body);
    this.#beginAnew();
    return job;
  }

  async endRun() {
    await this.#server.surely("/v1/end_run", this.#query(), {});
    this.#beginAnew();
  }

  learn(text, situation) {
    return this.#server.surely("/v1/learn", this.#place, { text, situation });
  }

  async digest(tokens = 300) {
    const query = { ...this.#place, tokens };
    return (await this.#server.request("GET", "/v1/digest", { query })).text;
  }

  async report(injection, outcome) {
    if (!injection.id) return;
    const path = `/v1/deliveries/${encodeURIComponent(injection.id)}/outcome`;
    await this.#server.request("POST", path, { query: this.#place, body: { outcome } });
  }

  #door(path, body) {
    return this.#server.door(path, this.#query(), body);
  }

  #query() {
    return { ...this.#place, run: this.#run };
  }

  #beginAnew() {
    if (!this.#isNamed) this.#run = newId();
  }
}

class Lessons {
  #server;
  #query;

  constructor(server, place) {
    this.#server = server;
    this.#query = { ...place, view: "agent" };
  }

  page(asked = {}) {
    return this.#asked("GET", "", { query: asked });
  }

  async *all(asked = {}) {
    let cursor;
    do {
      const page = await this.page({ ...asked, limit: 200, cursor });
      yield* page.items;
      cursor = page.next;
    } while (cursor);
  }

  async search(text, limit = 20) {
    return (await this.page({ q: text, limit })).items;
  }

  get(id) {
    return this.#asked("GET", `/${id}`);
  }

  add(situation, correction, more = {}) {
    return this.#asked("POST", "", { body: { situation, correction, ...more } });
  }

  edit(id, changes) {
    return this.#asked("PATCH", `/${id}`, { body: changes });
  }

  delete(id) {
    return this.#asked("DELETE", `/${id}`);
  }

  approve(id) {
    return this.#asked("POST", `/${id}/approve`);
  }

  retire(id) {
    return this.#asked("POST", `/${id}/retire`);
  }

  guard(id, asked = {}) {
    return this.#asked("POST", `/${id}/guard`, { body: asked });
  }

  undo(id) {
    return this.#asked("POST", `/${id}/undo`);
  }

  async history(id) {
    return (await this.#asked("GET", `/${id}/history`)).items;
  }

  export(form = "jsonl") {
    return this.#asked("GET", "/export", { query: { form } });
  }

  async import(pack, { trust = false } = {}) {
    return (await this.#asked("POST", "/import", { query: { trust }, body: pack })).items;
  }

  #asked(method, path, { query = {}, body } = {}) {
    return this.#server.request(method, `/v1/lessons${path}`, {
      query: { ...this.#query, ...query },
      body,
    });
  }
}

export { Agent, Lessons };

function queryOf(values) {
  const named = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return named.length ? `?${new URLSearchParams(named.map(([k, v]) => [k, String(v)]))}` : "";
}

async function problemOf(answer) {
  let detail = `the server answered ${answer.status}`;
  try {
    detail = (await answer.json()).detail ?? detail;
  } catch {
    // not a problem document: what the status says is all there is
  }
  const wait = Number(answer.headers.get("retry-after") ?? NaN);
  return new Problem(answer.status, detail, Number.isFinite(wait) ? wait : null);
}

function textOf(value) {
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}

/** Node 18 has no global `crypto`; nobody has to be unable to guess these ids. */
function newId() {
  const random = () => Math.random().toString(16).slice(2, 10);
  return globalThis.crypto?.randomUUID?.() ?? `${Date.now().toString(16)}-${random()}-${random()}`;
}

function sleep(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

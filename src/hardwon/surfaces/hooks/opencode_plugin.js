export const Hardwon = async ({ directory, client }) => {
  const pending = new Map() // calls that run: a tool that throws has no other trace of its arguments
  const context = new Map() // what the next request of a session is told
  const started = new Set()
  const nested = new Set() // sessions of sub-agents
  const base = (session) => ({ session, cwd: directory, nested: nested.has(session) })
  const ask = async (event) => {
    const answer = await tell(event, 30000)
    // A line for the person. Nobody waits for it: without a terminal it is never shown.
    if (answer.note) show(answer.note).catch(() => {})
    return answer
  }
  const show = async (message) => client.tui.showToast({ body: { message, variant: "info" } })
  // A session that is idle goes on with a further message. `opencode run` may have ended by then.
  const goOn = async (id, text) => client.session.prompt({ path: { id }, body: { parts: [{ type: "text", text }] } })
  const note = (session, text) => {
    if (text) context.set(session, [...(context.get(session) ?? []), text])
  }

  return {
    event: async ({ event }) => {
      const properties = event.properties ?? {}
      if (event.type === "session.created" && properties.info?.parentID) nested.add(properties.info.id)
      if (event.type === "session.idle") {
        context.delete(properties.sessionID)
        const answer = await ask({ ...base(properties.sessionID), kind: "stop" })
        if (answer.request) goOn(properties.sessionID, answer.request).catch(() => {})
      }
      const part = properties.part
      if (event.type === "message.part.updated" && part?.type === "tool" && part.state?.status === "error") {
        const call = pending.get(part.callID)
        if (!call) return
        pending.delete(part.callID)
        const answer = await ask({ ...call, kind: "action_failed", output: part.state.error })
        note(call.session, answer.context)
      }
    },
    "chat.message": async (input, output) => {
      const session = input.sessionID
      if (!started.has(session)) {
        started.add(session)
        note(session, (await ask({ ...base(session), kind: "session_start" })).context)
      }
      const text = output.parts.filter((part) => part.type === "text").map((part) => part.text)
      note(session, (await ask({ ...base(session), kind: "prompt", text: text.join("\n") })).context)
    },
    "tool.execute.before": async (input, output) => {
      const call = { ...base(input.sessionID), tool: input.tool, args: output.args }
      const answer = await ask({ ...call, kind: "before_action" })
      if (answer.denial) throw new Error(answer.denial)
      pending.set(input.callID, call)
      note(input.sessionID, answer.context)
    },
    "tool.execute.after": async (input, output) => {
      const call = pending.get(input.callID) ?? { ...base(input.sessionID), tool: input.tool, args: input.args }
      pending.delete(input.callID)
      const failed = (output.metadata?.exit ?? 0) !== 0
      const kind = failed ? "action_failed" : "action_worked"
      const answer = await ask({ ...call, kind, output: output.output })
      if (answer.context) output.output += `\n\n${answer.context}`
    },
    "experimental.chat.system.transform": async (input, output) => {
      for (const text of context.get(input.sessionID) ?? []) output.system.push(text)
    },
  }
}

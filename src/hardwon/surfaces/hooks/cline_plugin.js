const LIMIT = 2500 // milliseconds for all that is asked at one hook: after 3000 Cline ends the run
const UNSURE = "hardwon could not judge in time whether a guard forbids this call; try again."

// Several events in their order; the answers as one.
async function ask(events) {
  const deadline = Date.now() + LIMIT
  const answers = []
  for (const event of events) answers.push(await tell(event, Math.max(0, deadline - Date.now())))
  const context = answers.map((answer) => answer.context).filter(Boolean).join("\n\n")
  const denial = answers.map((answer) => answer.denial).filter(Boolean).join("\n\n")
  return { context, denial, late: answers.some((answer) => answer.late) }
}

// A call of the shell may hold several commands: each is a call of its own.
function calls(tool, input) {
  const commands = Array.isArray(input?.commands) ? input.commands : []
  if (tool !== "run_commands" || !commands.length) return [{ tool, args: input }]
  return commands.map((command) => ({ tool: "bash", args: { command } }))
}

// What came of the calls. Most tools give one entry for each thing asked, with a verdict of its own.
function outcomes(asked, result) {
  const entries = Array.isArray(result.output) ? result.output : []
  const failed = (entry) => entry?.success === false
  const text = (entry) => entry?.result || entry?.error || ""
  const outcome = (is_failed, output) => ({ kind: is_failed ? "action_failed" : "action_worked", output })
  if (entries.length === asked.length) return entries.map((entry) => outcome(failed(entry), text(entry)))
  const output = entries.length ? entries.map(text).join("\n") : result.output?.error ?? result.output
  return asked.map(() => outcome(result.isError || entries.some(failed), output))
}

let directory = process.cwd()
const started = new Set()
const denied = new Set()

const base = ({ conversationId, parentAgentId }) => ({
  session: conversationId,
  cwd: directory,
  nested: Boolean(parentAgentId),
})

// The last words of the person, without the tag that Cline puts around them.
function prompt({ messages }) {
  const said = messages.filter((message) => message.role === "user" && message.metadata?.displayRole !== "system")
  const parts = said.at(-1)?.content ?? []
  const text = parts.filter((part) => part.type === "text").map((part) => part.text).join("\n")
  return text.replace(/<\/?user_input[^>]*>/g, "").trim()
}

const hooks = {
  async beforeRun({ snapshot }) {
    const own = base(snapshot)
    const events = [{ ...own, kind: "prompt", text: prompt(snapshot) }]
    if (!started.has(own.session)) events.unshift({ ...own, kind: "session_start" })
    started.add(own.session)
    const { context } = await ask(events)
    return context ? { appendContext: context } : undefined
  },
  async beforeTool({ snapshot, toolCall, input }) {
    const events = calls(toolCall.toolName, input).map((call) => ({ ...base(snapshot), ...call, kind: "before_action" }))
    const { context, denial, late } = await ask(events)
    if (!denial && !late) return context ? { appendContext: context } : undefined
    denied.add(toolCall.toolCallId)
    return { skip: true, reason: denial || UNSURE }
  },
  async afterTool({ snapshot, toolCall, input, result }) {
    if (denied.delete(toolCall.toolCallId)) return undefined
    const asked = calls(toolCall.toolName, input)
    const ended = outcomes(asked, result)
    const { context } = await ask(asked.map((call, index) => ({ ...base(snapshot), ...call, ...ended[index] })))
    return context ? { appendContext: context } : undefined
  },
  async afterRun({ snapshot, result }) {
    await ask([{ ...base(snapshot), kind: "stop", text: result?.outputText ?? "" }])
  },
}

export default {
  name: "hardwon",
  manifest: { capabilities: ["hooks"] },
  setup(_api, context) {
    directory = context?.workspaceInfo?.rootPath ?? directory
  },
  hooks,
}

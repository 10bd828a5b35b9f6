// Written by `hardwon install @AGENT@`; `hardwon uninstall @AGENT@` removes it.
import { spawn } from "node:child_process"

const COMMAND = @COMMAND@

// One event in, the answer out; `late` when there is none in time. Whatever goes wrong, the agent goes on.
function tell(event, limit) {
  return new Promise((resolve) => {
    let out = ""
    const child = spawn(COMMAND, { shell: true, stdio: ["pipe", "pipe", "ignore"], timeout: 30000 })
    const timer = setTimeout(() => resolve({ late: true }), limit)
    const done = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    child.on("error", () => done({}))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (out += data))
    child.on("close", () => {
      try {
        done(JSON.parse(out))
      } catch {
        done({})
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
}


// Written by `evo install opencode`, taken away by `evo uninstall opencode`. Changes made here are lost.
// Tells evo what happens in a session, and hands the model what evo answers. Whatever fails, the session goes on.
import { spawn } from "node:child_process"

const RUN = ["evo", "hook"]

/** What evo answers to a report: text for the model, or nothing. Never throws, never takes longer than the limit. */
function evo(kind, report, limit = 5000) {
  return new Promise((done) => {
    try {
      const [program, ...words] = RUN
      const child = spawn(program, [...words, kind, "--agent", "opencode"], { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      const timer = setTimeout(() => child.kill(), limit)
      const pieces = []
      child.stdout.on("data", (piece) => pieces.push(piece))
      child.stdin.on("error", () => {})
      child.on("error", () => { clearTimeout(timer); done("") })
      child.on("close", () => {
        clearTimeout(timer)
        try {
          const said = JSON.parse(Buffer.concat(pieces).toString("utf8") || "{}").additionalContext
          done(typeof said === "string" ? said : "")
        } catch {
          done("")
        }
      })
      child.stdin.end(JSON.stringify(report))
    } catch {
      done("")
    }
  })
}

const text = (parts) =>
  (Array.isArray(parts) ? parts : []).filter((p) => p?.type === "text" && !p.synthetic).map((p) => p.text ?? "").join("\n")

export const Evo = async ({ directory, client }) => {
  const memory = new Map() // session: what it was given at its start, asked for once
  const aside = new Map() // session: what belongs to its last prompt
  const parents = new Map() // session: the one that started it
  const say = (name, id) => ({ hook_event_name: name, session_id: id ?? "", cwd: directory, parent_id: parents.get(id) ?? "" })
  const forget = (id) => { memory.delete(id); aside.delete(id); parents.delete(id) }

  async function reply(id) {
    try {
      const found = await client.session.messages({ path: { id } })
      const last = (found.data ?? []).filter((m) => m.info?.role === "assistant").at(-1)
      return text(last?.parts)
    } catch {
      return ""
    }
  }

  return {
    "chat.message": async (input, output) => {
      const id = input?.sessionID
      const report = { ...say("chat.message", id), message_id: output?.message?.id ?? "", prompt: text(output?.parts) }
      aside.set(id, await evo("prompt", report))
    },
    "tool.execute.after": async (input, output) => {
      const said = typeof output?.output === "string" ? output.output : ""
      const report = {
        ...say("tool.execute.after", input?.sessionID),
        tool: input?.tool ?? "", args: input?.args ?? output?.metadata?.args ?? {}, output: said.slice(0, 20000),
        metadata: { exit: output?.metadata?.exit ?? null },
      }
      const answer = await evo("tool-result", report)
      if (answer && said) output.output = said + "\n\n" + answer
    },
    // runs before every call of the model, so what was asked for once is kept
    "experimental.chat.system.transform": async (input, output) => {
      const id = input?.sessionID
      if (!memory.has(id)) memory.set(id, evo("session-start", say("experimental.chat.system.transform", id), 10000))
      for (const answer of [await memory.get(id), aside.get(id)]) if (answer) output?.system?.push(answer)
    },
    "experimental.session.compacting": async (input) => {
      memory.delete(input?.sessionID)
      await evo("pre-compact", say("experimental.session.compacting", input?.sessionID))
    },
    event: async ({ event }) => {
      const id = event?.properties?.sessionID ?? event?.properties?.info?.id
      if (event?.type === "session.created" && event.properties?.info?.parentID) parents.set(id, event.properties.info.parentID)
      if (event?.type === "session.idle") await evo("turn-end", { ...say("session.idle", id), reply: await reply(id) })
      if (event?.type === "session.deleted") {
        await evo("session-end", say("session.deleted", id))
        forget(id)
      }
    },
  }
}

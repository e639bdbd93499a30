// Written by `evo install openclaw`, taken away by `evo uninstall openclaw`. Changes made here are lost.
// Tells evo what happens, and hands the agent what evo answers at its start. Whatever fails, the gateway goes on.
import { spawn } from "node:child_process";

const RUN: string[] = ["evo", "hook"];
const KINDS: Record<string, string> = {
  "agent:bootstrap": "session-start",
  "message:received": "prompt",
  "message:sent": "turn-end",
  "session:compact:before": "pre-compact",
  "command:new": "session-end",
  "command:reset": "session-end",
};

/** What evo answers to a report: text for the agent, or nothing. Never throws, never takes longer than the limit. */
function evo(kind: string, report: object, limit = 10000): Promise<string> {
  return new Promise((done) => {
    try {
      const [program, ...words] = RUN;
      const child = spawn(program, [...words, kind, "--agent", "openclaw"], {
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      });
      const timer = setTimeout(() => child.kill(), limit);
      const pieces: Buffer[] = [];
      child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
      child.stdin.on("error", () => {});
      child.on("error", () => {
        clearTimeout(timer);
        done("");
      });
      child.on("close", () => {
        clearTimeout(timer);
        try {
          const said = JSON.parse(Buffer.concat(pieces).toString("utf8") || "{}").additionalContext;
          done(typeof said === "string" ? said : "");
        } catch {
          done("");
        }
      });
      child.stdin.end(JSON.stringify(report));
    } catch {
      done("");
    }
  });
}

const handler = async (event: any): Promise<void> => {
  const name = `${event?.type}:${event?.action}`;
  const kind = KINDS[name];
  const key = String(event?.sessionKey ?? "");
  if (!kind || key.includes(":subagent:")) return;
  const context = event?.context ?? {};
  // in a group anybody may write: what others say is no correction of the person's
  if (kind === "prompt" && (context.isGroup || key.includes(":group:") || key.includes(":channel:"))) return;
  const said = context.content ?? context.text ?? "";
  const answer = await evo(kind, {
    hook_event_name: name,
    session_id: key,
    cwd: context.workspaceDir ?? "",
    message_id: context.messageId ?? "",
    prompt: kind === "prompt" ? said : "",
    reply: kind === "turn-end" ? said : "",
  });
  if (answer && kind === "session-start" && Array.isArray(context.bootstrapFiles)) {
    context.bootstrapFiles.push({ name: "EVO.md", path: "EVO.md", content: answer, missing: false });
  }
};

export default handler;

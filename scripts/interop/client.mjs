// Drives whelk with the TypeScript SDK.
//
//     node client.mjs PROGRAM [URL TOKEN]
//
// starts PROGRAM over standard input and output, or calls the one that serves at
// URL, and ends with 1 at the first answer that is not as it must be. This SDK speaks the era that begins with
// initialize; the inspector covers the other one.

import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const TOOLS = ["cleanup", "execute", "explain", "ps", "read", "stop", "wait", "write"];
const INVALID_PARAMS = -32602;
// Milliseconds for everything: a bound for what hangs, not an aim.
const PATIENCE = 60_000;
// Milliseconds after which the SDK signals a server that has not ended with its input.
const ORDERLY_END = 2_000;
// Bytes that are more than a pipe holds, and that one answer may have.
const LARGE = 80_000;
// Seconds of a call that must bring progress, sent every 5 s, meanwhile.
const LONG = 6;

async function resultOfAFastCommand(client) {
  const r = await call(client, "execute", { command: "printf 'out\\n'; printf 'err\\n' >&2; exit 3" });
  assert.ok(!r.isError, "execute: isError");
  const { status, exit_code, stdout, stderr } = r.structuredContent;
  assert.deepEqual({ status, exit_code, stdout, stderr }, { status: "completed", exit_code: 3, stdout: "out\n", stderr: "err\n" });
  assert.match(r.content[0].text, /^out$/m, "execute: text");
}

async function backgroundWaitAndStop(client) {
  let r = await call(client, "execute", { command: "echo started; exec sleep 600", yield_ms: 0 });
  assert.equal(r.structuredContent.status, "backgrounded");
  const execution_id = r.structuredContent.execution_id;
  let seen = r.structuredContent.stdout;
  while (seen === "") { // bounded by PATIENCE
    r = await call(client, "wait", { execution_id, timeout_ms: 200 });
    assert.equal(r.structuredContent.wait_result, "deadline_reached");
    seen += r.structuredContent.stdout;
  }
  assert.equal(seen, "started\n");
  r = await call(client, "stop", { execution_id });
  assert.ok(!r.isError, "stop: isError");
  r = await call(client, "wait", { execution_id });
  assert.equal(r.structuredContent.status, "stopped");
}

async function largeResult(client) {
  const r = await call(client, "execute", { command: `head -c ${LARGE} /dev/zero | tr '\\0' x` });
  assert.equal(r.structuredContent.stdout.length, LARGE);
}

async function progress(client) {
  const seen = [];
  await client.callTool({ name: "execute", arguments: { command: `sleep ${LONG}` } }, undefined, { onprogress: (p) => seen.push(p) });
  assert.ok(seen.length > 0, "progress arrives");
}

async function errors(client) {
  const r = await call(client, "read", { execution_id: "nope" });
  assert.ok(r.isError, "unknown handle: isError");
  assert.match(r.content[0].text, /nope/);
  await assert.rejects(call(client, "no_such_tool", {}), { code: INVALID_PARAMS });
}

function call(client, name, args) {
  return client.callTool({ name, arguments: args });
}

const hung = setTimeout(() => {
  console.error(`not done after ${PATIENCE} ms`);
  process.exit(1);
}, PATIENCE);
const [program, url, token] = process.argv.slice(2);
const transport = url
  ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })
  : new StdioClientTransport({ command: program, args: ["--result", "both", "--max-output", "80KiB"] });
const client = new Client({ name: "interop", version: "1" });
await client.connect(transport);
assert.equal(client.getServerVersion().name, "whelk");
const { tools } = await client.listTools();
assert.deepEqual(tools.map((t) => t.name).sort(), TOOLS);
await resultOfAFastCommand(client);
await backgroundWaitAndStop(client);
await largeResult(client);
await errors(client);
if (url) await progress(client);
const closing = Date.now();
await client.close();
assert.ok(Date.now() - closing < ORDERLY_END, "ended with its input");
clearTimeout(hung);
console.log(`typescript sdk, ${url ? "HTTP" : "stdio"}: ok`);

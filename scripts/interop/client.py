"""Drives whelk with the Python SDK, in both eras of the protocol.

    python client.py PROGRAM [URL TOKEN]

starts PROGRAM once for each era, over standard input and output, or calls the
one that serves at URL, and ends with 1 at the first answer that is not as it
must be.
"""

import sys
import time

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

# How a connection is asked for, and the protocol version that it must get.
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}
TOOLS = {"cleanup", "execute", "explain", "ps", "read", "stop", "wait", "write"}
INVALID_PARAMS = -32602
# Seconds for everything in one era: a bound for what hangs, not an aim.
PATIENCE = 60
# Seconds after which the SDK signals a server that has not ended with its input.
ORDERLY_END = 2
# Seconds of a call that must bring progress, sent every 5 s, meanwhile.
LONG = 6
# Bytes that are more than a pipe holds, and that one answer may have.
LARGE = 80_000


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: got {got!r}, want {want!r}")


async def result_of_a_fast_command(client):
    r = await client.call_tool("execute", {"command": "printf 'out\\n'; printf 'err\\n' >&2; exit 3"})
    fields = r.structured_content
    check("execute: isError", r.is_error, False)
    check("execute: status", fields["status"], "completed")
    check("execute: exit_code", fields["exit_code"], 3)
    check("execute: stdout", fields["stdout"], "out\n")
    check("execute: stderr", fields["stderr"], "err\n")
    check("execute: text", "out\n" in r.content[0].text, True)


async def background_wait_and_stop(client):
    r = await client.call_tool("execute", {"command": "echo started; exec sleep 600", "yield_ms": 0})
    check("background: status", r.structured_content["status"], "backgrounded")
    handle = r.structured_content["execution_id"]
    seen = r.structured_content["stdout"]
    while not seen:  # bounded by PATIENCE
        r = await client.call_tool("wait", {"execution_id": handle, "timeout_ms": 200})
        check("wait: wait_result", r.structured_content["wait_result"], "deadline_reached")
        seen += r.structured_content["stdout"]
    check("wait: stdout", seen, "started\n")
    r = await client.call_tool("stop", {"execution_id": handle})
    check("stop: isError", r.is_error, False)
    r = await client.call_tool("wait", {"execution_id": handle})
    check("after stop: status", r.structured_content["status"], "stopped")


async def large_result(client):
    r = await client.call_tool("execute", {"command": f"head -c {LARGE} /dev/zero | tr '\\0' x"})
    check("large: bytes", len(r.structured_content["stdout"]), LARGE)


async def progress(client):
    seen = []

    async def note(done, total, message):
        seen.append(done)

    await client.call_tool("execute", {"command": f"sleep {LONG}"}, progress_callback=note)
    check("progress arrives", len(seen) > 0, True)


async def errors(client):
    r = await client.call_tool("read", {"execution_id": "nope"})
    check("unknown handle: isError", r.is_error, True)
    check("unknown handle: named", "nope" in r.content[0].text, True)
    try:
        await client.call_tool("no_such_tool", {})
    except MCPError as e:
        check("unknown tool: code", e.error.code, INVALID_PARAMS)
    else:
        sys.exit("unknown tool: no protocol error")


def server(program, url=None, token=None):
    """What the SDK connects to."""
    if url is None:
        return StdioServerParameters(command=program, args=["--result", "both", "--max-output", "80KiB"])
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
    return streamable_http_client(url, http_client=http)


async def era(mode, version, *where):
    with anyio.fail_after(PATIENCE):
        async with Client(server(*where), mode=mode) as client:
            check("protocol version", client.protocol_version, version)
            tools = await client.list_tools()
            check("tools", {t.name for t in tools.tools}, TOOLS)
            await result_of_a_fast_command(client)
            await background_wait_and_stop(client)
            await large_result(client)
            await errors(client)
            if len(where) > 1:
                await progress(client)
            closing = time.monotonic()
    took = time.monotonic() - closing
    check(f"ended with its input (took {took:.1f} s)", took < ORDERLY_END, True)


over = "HTTP" if len(sys.argv) > 2 else "stdio"
for mode, version in ERAS.items():
    anyio.run(era, mode, version, *sys.argv[1:])
    print(f"python sdk, {over}, {mode}: ok")

// The official TypeScript client, through the same journey as client.py, each result checked against its output schema.
//
// client.mjs http URL TOKEN | client.mjs stdio COMMAND [ARGUMENT…]
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const TOOLS = ["aggregate", "fetch", "query_records", "read_record_field", "schema", "search"];
const [kind, ...rest] = process.argv.slice(2);

function transport() {
  if (kind === "stdio") return new StdioClientTransport({ command: rest[0], args: rest.slice(1) });
  const headers = { Authorization: `Bearer ${rest[1]}` };
  return new StreamableHTTPClientTransport(new URL(rest[0]), { requestInit: { headers } });
}

async function journey(client) {
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert.equal(result.content.length, 1, name);
    assert.ok(result.structuredContent, name);
    return result;
  };
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), TOOLS);
  assert.match(client.getInstructions(), /schema/);
  const schema = await call("schema", { detail: "compact" });
  assert.equal(schema.structuredContent.data.object, "schema");
  const where = { stream: "transactions", connection_id: "bank-elbe" };
  const page = (await call("query_records", { ...where, limit: 2 })).structuredContent.data;
  assert.equal(page.data.length, 2);
  const later = await call("query_records", { ...where, limit: 2, cursor: page.next_cursor });
  assert.notEqual(later.structuredContent.data.data[0].id, page.data[0].id);
  const id = `bank-elbe/transactions:${page.data[0].id}`;
  assert.equal((await call("fetch", { id })).structuredContent.id, id);
  const field = await call("read_record_field", { id, field_path: "merchant" });
  assert.equal(field.structuredContent.window.complete, true);
  const count = await call("aggregate", { ...where, metric: "count" });
  assert.ok(count.structuredContent.data.value > 0);
  const refused = await call("query_records", { ...where, stream: "nothing" });
  assert.equal(refused.isError, true);
  assert.ok(refused.structuredContent.error.code);
  assert.ok((await client.listResourceTemplates()).resourceTemplates.length);
}

for (const mode of ["legacy", { pin: "2026-07-28" }]) {
  const client = new Client({ name: "check", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport());
  await journey(client);
  console.log(`typescript, ${kind}, ${client.getNegotiatedProtocolVersion()}: ok`);
  await client.close();
}

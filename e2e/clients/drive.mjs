// What both clients do with a server: everything it offers, once, then a clean goodbye. Prints one
// line of JSON with what was seen; a failed expectation ends with a stack and status 1.
import assert from "node:assert/strict";

export async function drive(client, transport) {
  let stderr = "";
  transport.stderr?.on("data", (data) => (stderr += data));
  const errors = [];
  client.onerror = (error) => errors.push(String(error));
  await client.connect(transport);

  const { tools } = await client.listTools();
  assert.equal(tools.length, 6);
  for (const tool of tools) {
    assert.equal(tool.annotations.readOnlyHint, true, tool.name);
    assert.ok(tool.outputSchema, tool.name);
  }

  const call = async (name, args) => {
    // The SDK checks structuredContent against the output schema.
    const result = await client.callTool({ name, arguments: args });
    assert.notEqual(result.isError, true, `${name}: ${JSON.stringify(result)}`);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, name);
    return result.structuredContent;
  };
  const search = await call("memory.search", { query: "boiler warranty" });
  assert.ok(search.chunks.length > 0);
  const chinese = await call("memory.search", { query: "签证", k: "2" });
  assert.ok(chinese.chunks.some((c) => c.preview.includes("签证")));
  await call("memory.recall", { query: "When is the rent due?" });
  const { chunk } = await call("tree.read_chunk", { chunk_id: search.chunks[0].chunk_id });
  assert.ok(chunk.content.includes("boiler"));
  const page = await call("tree.browse", { source_kinds: ["email"], k: 2 });
  assert.equal(page.chunks.length, 2);
  await call("tree.top_entities", { kind: "person" });
  const { sources } = await call("tree.list_sources", {});
  // Clients that cannot write dots call the same tools with underscores.
  const underscored = await call("memory_search", { query: "boiler warranty" });
  assert.deepEqual(underscored, search);

  const wrong = await client.callTool({ name: "memory.search", arguments: { qery: "x" } });
  assert.equal(wrong.isError, true);
  await assert.rejects(client.callTool({ name: "memory.delete", arguments: {} }));

  const { resources } = await client.listResources();
  assert.equal(resources.length, 21);
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    assert.equal(contents[0].mimeType, "text/markdown", uri);
    assert.ok(contents[0].text.length > 200, uri);
  }
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.deepEqual(resourceTemplates, []);
  await assert.rejects(client.readResource({ uri: "openhuman://prompts/none" }));

  // Many at once, each answered with its own.
  const words = ["boiler", "gauge", "rent", "back-off", "龙井茶"];
  const answers = await Promise.all([...Array(100).keys()].map((i) => call("memory.search", { query: words[i % words.length] })));
  answers.forEach((a, i) => assert.deepEqual(a, answers[i % words.length]));

  const server = client.getServerVersion();
  const began = Date.now();
  await client.close();
  const closed = Date.now() - began;
  assert.deepEqual(errors, []);
  console.log(JSON.stringify({ server, tools: tools.map((t) => t.name), sources: sources.map((s) => s.source_id), closed, stderr }));
}

// Drives the server with version 2 of the TypeScript client: node client.mjs PROGRAM legacy|auto
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { drive } from "./drive.mjs";

const client = new Client({ name: "E2E Client", version: "2" }, { versionNegotiation: { mode: process.argv[3] } });
await drive(client, new StdioClientTransport({ command: process.argv[2], args: ["mcp", "--verbose"], env: process.env, stderr: "pipe" }));

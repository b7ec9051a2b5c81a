// Drives the server with the TypeScript SDK (initialize handshake): node sdk.mjs PROGRAM
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { drive } from "./drive.mjs";

const client = new Client({ name: "E2E SDK", version: "1" });
await drive(client, new StdioClientTransport({ command: process.argv[2], args: ["mcp", "--verbose"], env: process.env, stderr: "pipe" }));

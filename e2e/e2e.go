// Package e2e drives the built program from outside, as its users do: piped smoke tests, MCP clients
// from the npm registry, signals, sockets. It holds tests only, behind the build tag e2e; .ci/run e2e
// installs the clients and runs them.
package e2e

// Package archtest keeps the rules of docs/architecture.md true: who may import whom, where side
// effects live, how large a file may be. It holds tests only.
package archtest

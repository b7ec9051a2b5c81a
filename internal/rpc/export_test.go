package rpc

// Coded gives an answer of the SDK a code.
var Coded = coded

// Package openhuman is the root of the module. It holds the legal texts that the program shows, which
// lie here for those who read the source; everything else is in the packages below.
package openhuman

import "embed"

// Legal holds LICENSE, NOTICE and the licences of everything that the program contains data of.
//
//go:embed LICENSE NOTICE LICENSES/*.txt
var Legal embed.FS

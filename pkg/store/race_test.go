//go:build race

package store_test

// raceEnabled tells tests that they run many times slower, so that the heaviest do less of the same.
const raceEnabled = true

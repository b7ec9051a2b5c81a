//go:build !unix

package backup_test

func limitFiles() {}

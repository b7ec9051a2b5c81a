package store

import "golang.org/x/sys/unix"

// networkFS names the network file system that path is on, or returns "".
func networkFS(path string) string {
	var st unix.Statfs_t
	if unix.Statfs(path, &st) != nil || st.Flags&unix.MNT_LOCAL != 0 {
		return ""
	}
	return unix.ByteSliceToString(st.Fstypename[:])
}

package store

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// networkFS names the network file system that path is on, or returns "".
func networkFS(path string) string {
	volume := filepath.VolumeName(path)
	if strings.HasPrefix(volume, `\\`) {
		return "a share"
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	if err == nil && windows.GetDriveType(root) == windows.DRIVE_REMOTE {
		return "a share"
	}
	return ""
}

package store

import (
	"fmt"
	"path/filepath"
	"strings"
)

// syncFolders are parts of paths that give away a folder which another program copies to other
// machines. Letters are compared without case.
var syncFolders = []struct{ part, name string }{
	{"dropbox", "Dropbox"},
	{"onedrive", "OneDrive"},
	{"mobile documents", "iCloud Drive"},
	{"icloud drive", "iCloud Drive"},
	{"iclouddrive", "iCloud Drive"},
	{"cloudstorage", "a cloud drive"}, // macOS keeps every provider there
	{"google drive", "Google Drive"},
	{"googledrive", "Google Drive"},
	{"nextcloud", "Nextcloud"},
	{"owncloud", "ownCloud"},
	{"pcloud drive", "pCloud"},
	{"syncthing", "Syncthing"},
}

// Warnings returns sentences about where the store at path is kept: a network file system or a
// synchronised folder damages a database that is in use. It returns nothing for a good place.
func Warnings(path string) []string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	places := []string{abs}
	if real := resolved(abs); real != abs {
		places = append(places, real)
	}
	var out []string
	if kind := networkFS(existing(places[len(places)-1])); kind != "" {
		out = append(out, fmt.Sprintf("%s is on a network file system (%s), where a database that several programs use can be damaged. Keep the workspace on a local disk (OPENHUMAN_WORKSPACE).", filepath.Dir(abs), kind))
	}
	for _, p := range places {
		if name := syncedBy(p); name != "" {
			out = append(out, fmt.Sprintf("%s is kept in sync by %s, which can copy a database while it is being written and damage it. Keep the workspace in a folder that is not synchronised (OPENHUMAN_WORKSPACE).", filepath.Dir(abs), name))
			break
		}
	}
	return out
}

// syncedBy returns the name of the program that synchronises a folder on the path, or "".
func syncedBy(path string) string {
	for _, part := range strings.FieldsFunc(strings.ToLower(filepath.ToSlash(filepath.Dir(path))), func(r rune) bool { return r == '/' }) {
		for _, f := range syncFolders {
			// "Dropbox (Work)" and "OneDrive - Company" are the same programs; "dropbox-api" is not.
			rest, ok := strings.CutPrefix(part, f.part)
			if ok && (rest == "" || strings.HasPrefix(rest, " (") || strings.HasPrefix(rest, " - ")) {
				return f.name
			}
		}
	}
	return ""
}

// resolved follows the symbolic links of as much of path as exists.
func resolved(path string) string {
	have := existing(path)
	real, err := filepath.EvalSymlinks(have)
	if err != nil {
		return path
	}
	rest, err := filepath.Rel(have, path)
	if err != nil {
		return path
	}
	return filepath.Join(real, rest)
}

// existing returns the longest beginning of path that exists.
func existing(path string) string {
	for {
		if _, err := filepath.EvalSymlinks(path); err == nil || filepath.Dir(path) == path {
			return path
		}
		path = filepath.Dir(path)
	}
}

package config

import (
	"path/filepath"
	"strings"
)

// variable returns the value of the last NAME=value in environ with that name.
func variable(environ []string, name string) string {
	value := ""
	for _, e := range environ {
		if n, v, ok := strings.Cut(e, "="); ok && n == name {
			value = v
		}
	}
	return value
}

// homeIn returns the home folder that environ names.
func homeIn(environ []string) string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if h := variable(environ, name); h != "" {
			return h
		}
	}
	return ""
}

// expand replaces a leading ~, which programs that start a server do not do for us.
func (l *loader) expand(path string) string {
	if path == "~" {
		return l.home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(l.home, rest)
	}
	if rest, ok := strings.CutPrefix(path, `~\`); ok {
		return filepath.Join(l.home, rest)
	}
	return path
}

// workspaceBefore is the workspace as far as it is known before config.toml is read.
func (l *loader) workspaceBefore(o Options) string {
	ws := Defaults().Workspace
	if v := strings.TrimSpace(variable(o.Environ, envName("workspace"))); v != "" {
		ws = v
	}
	if v := strings.TrimSpace(o.Flags["workspace"]); v != "" {
		ws = v
	}
	return absolute(l.expand(ws))
}

// resolve makes the workspace absolute: from the file's folder when the file names it.
func (l *loader) resolve(path string) string {
	path = l.expand(path)
	if !filepath.IsAbs(path) && strings.HasPrefix(string(l.Origin("workspace")), l.Path) {
		path = filepath.Join(filepath.Dir(l.Path), path)
	}
	return absolute(path)
}

// beside makes a path of the file absolute: from the file's folder.
func (l *loader) beside(path string) string {
	path = l.expand(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(l.Path), path)
	}
	return absolute(path)
}

// absolute leaves a path alone that cannot be made absolute; whoever opens it will say why.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/openhuman/openhuman-core/internal/near"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
)

// section takes in one table of config.toml and those below it. prefix ends with a dot or is empty.
func (l *loader) section(prefix string, table map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		key, raw := prefix+name, table[name]
		// A name in quotes that holds a dot is no path: "policy.level" would pass by [policy].
		if f, ok := l.field(key); ok && !strings.Contains(name, ".") {
			if key != f.Key && table[strings.TrimPrefix(f.Key, prefix)] != nil {
				l.problem(Problem{Place: l.place(key), Msg: fmt.Sprintf("%s is another name of %s, which is set too; %s is used", key, f.Key, f.Key), Warning: true})
				continue
			}
			l.put(f, raw, l.place(key), Origin(l.place(key)))
			continue
		}
		switch {
		case key == clientsKey:
			l.clients(raw)
		case key == sourcesKey:
			l.sources(raw)
		case key == providersKey:
			l.providers(raw)
		case l.isSection(key):
			below, ok := raw.(map[string]any)
			if !ok {
				l.problem(Problem{Place: l.place(key), Msg: fmt.Sprintf("%s must be a section: [%s]", key, key), Policy: key == "policy"})
				continue
			}
			l.section(key+".", below)
		case strings.Contains(name, "."):
			l.problem(Problem{Place: l.place(key), Msg: fmt.Sprintf("unknown key %q: quotes make one name of it; leave them out", name), Policy: hides(key, raw)})
		default:
			l.problem(Problem{Place: l.place(key), Msg: l.unknown(key, prefix), Policy: hides(key, raw)})
		}
	}
}

func (l *loader) isSection(key string) bool {
	return slices.ContainsFunc(l.fields, func(f Field) bool { return strings.HasPrefix(f.Key, key+".") })
}

func (l *loader) place(key string) string {
	if line := l.at.of(key); line > 0 {
		return l.Path + ":" + strconv.Itoa(line)
	}
	return l.Path
}

// unknown words the complaint about a key that does not exist, with the nearest one that does.
func (l *loader) unknown(key, prefix string) string {
	var inSection, all []string
	for _, f := range l.fields {
		all = append(all, f.Key)
		if rest, ok := strings.CutPrefix(f.Key, prefix); ok {
			first, _, _ := strings.Cut(rest, ".")
			inSection = append(inSection, prefix+first)
		}
	}
	if prefix == "" {
		inSection = append(inSection, sourcesKey, providersKey)
	}
	if prefix == "policy." {
		inSection = append(inSection, clientsKey)
	}
	// The right name in the wrong section comes before a similar one in this.
	n, last := "", key[strings.LastIndexByte(key, '.')+1:]
	for _, k := range all {
		if strings.HasSuffix(k, "."+last) {
			n = k
		}
	}
	if n == "" {
		n = near.Word(key, inSection)
	}
	msg := "unknown key " + key
	if n != "" {
		msg += "; did you mean " + n + "?"
	}
	return msg
}

// hides reports whether an unknown key, or a key anywhere below it, may have been meant to hide
// something.
func hides(key string, value any) bool {
	if strings.HasPrefix(key, "policy.") || near.Word(key, []string{"policy"}) != "" {
		return true
	}
	if k := strings.ToLower(key); strings.Contains(k, "deny") || strings.Contains(k, "allow_") {
		return true
	}
	switch below := value.(type) {
	case map[string]any:
		for k, v := range below {
			if hides(k, v) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(below, func(v any) bool { return hides("", v) })
	}
	return false
}

func (l *loader) clients(raw any) {
	table, ok := raw.(map[string]any)
	if !ok {
		l.problem(Problem{Place: l.place(clientsKey), Msg: clientsKey + " must hold one section for each client: [policy.clients.NAME]", Policy: true})
		return
	}
	clients := map[string]ClientPolicy{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		key := clientsKey + "." + name
		id := clientinfo.Normalize(name)
		if strings.ContainsAny(name, "*?") {
			l.problem(Problem{Place: l.place(key), Msg: fmt.Sprintf("%s is a pattern, and each client needs a section of its own; %s.default is for all others", key, clientsKey), Policy: true})
			continue
		}
		if _, twice := clients[id]; twice || id == "" {
			l.problem(Problem{Place: l.place(key), Msg: fmt.Sprintf("%s is no name of its own (a client's name is lower case, with - between words)", key), Policy: true})
			continue
		}
		entry, errs := decodeEntry[ClientPolicy](key, table[name])
		for _, e := range errs {
			l.problem(Problem{Place: l.place(e.key), Msg: e.msg, Policy: true})
		}
		for _, list := range []struct {
			name, as string
			values   []string
		}{
			{"allow_sources", denySourcesKey, entry.AllowSources}, {"deny_sources", denySourcesKey, entry.DenySources}, {"deny_tools", denyToolsKey, entry.DenyTools},
		} {
			if err := l.check(list.as, list.values); err != nil {
				l.problem(Problem{Place: l.place(key + "." + list.name), Msg: fmt.Sprintf("%s.%s %v", key, list.name, err), Policy: true})
			}
		}
		if written, _ := table[name].(map[string]any); entry.AllowSources != nil && len(entry.AllowSources) == 0 && written["allow_sources"] != nil {
			l.problem(Problem{
				Place: l.place(key + ".allow_sources"), Policy: true,
				Msg: key + ".allow_sources is empty, which allows all; leave it out for that, or deny_sources = [\"*\"] to allow none",
			})
		}
		clients[id] = entry
	}
	l.setStruct(clientsKey, clients)
}

// sources takes in the rows of [[sources]]. A mistake in one is a warning: it concerns sync alone, which
// leaves the row out and fails for it.
func (l *loader) sources(raw any) {
	entries, ok := tables(raw)
	if !ok {
		l.problem(Problem{Place: l.place(sourcesKey), Msg: "sources must be a list of sections: [[sources]]"})
		return
	}
	var list []Source
	for i, e := range entries {
		key := sourcesKey + "." + strconv.Itoa(i)
		row := SourceEntry{Number: i + 1, Place: l.place(key)}
		var errs []entryError
		row.Source, errs = decodeEntry[Source](key, e)
		if _, said := e["gitignore"]; !said {
			row.Gitignore = true
		}
		if len(errs) == 0 && len(row.Path) == 0 {
			errs = append(errs, entryError{key, "each of [[sources]] needs a path"})
		}
		if len(errs) == 0 && l.reviewSource != nil {
			if err := l.reviewSource(row.Source); err != nil {
				errs = append(errs, entryError{key, err.Error()})
			}
		}
		for _, e := range errs {
			msg := strings.Replace(e.msg, " in "+key, "", 1)
			row.Problems = append(row.Problems, msg)
			l.problem(Problem{Place: l.place(e.key), Msg: fmt.Sprintf("[[sources]] number %d is left out: %s", row.Number, msg), Warning: true})
		}
		for _, p := range row.Path {
			row.Paths = append(row.Paths, l.beside(p))
		}
		l.SourceEntries = append(l.SourceEntries, row)
		if len(errs) == 0 {
			list = append(list, row.Source)
		}
	}
	l.setStruct(sourcesKey, list)
}

// providers takes in the capability providers. A bad entry voids the list and nothing else, so that
// it is a warning.
func (l *loader) providers(raw any) {
	entries, ok := tables(raw)
	if !ok {
		l.ProvidersVoid = l.place(providersKey) + ": capability_providers must be a list of sections: [[capability_providers]]"
		l.ProviderEntries = []ProviderEntry{{Broken: true}}
	}
	var list []Provider
	for i, e := range entries {
		entry, errs := decodeEntry[Provider](providersKey+"."+strconv.Itoa(i), e)
		for _, e := range errs {
			l.ProvidersVoid = l.place(e.key) + ": " + e.msg
		}
		l.ProviderEntries = append(l.ProviderEntries, ProviderEntry{entry, len(errs) > 0})
		list = append(list, entry)
	}
	if l.ProvidersVoid == "" && l.reviewProviders != nil {
		if errs := l.reviewProviders(l.ProviderEntries); len(errs) > 0 {
			l.ProvidersVoid = l.place(providersKey) + ": " + strings.Join(errs, "; ")
		}
	}
	if l.ProvidersVoid != "" {
		l.problem(Problem{Place: l.place(providersKey), Msg: "no capability provider is used, because an entry is bad: " + l.ProvidersVoid, Warning: true})
		return
	}
	l.setStruct(providersKey, list)
}

func (l *loader) setStruct(key string, value any) {
	if err := l.k.Set(key, value); err == nil {
		l.Origins[key] = Origin(l.place(key))
	}
}

func tables(raw any) ([]map[string]any, bool) {
	switch v := raw.(type) {
	case []map[string]any:
		return v, true
	case []any:
		var out []map[string]any
		for _, e := range v {
			m, ok := e.(map[string]any)
			if !ok {
				return nil, false
			}
			out = append(out, m)
		}
		return out, true
	}
	return nil, false
}

type entryError struct{ key, msg string }

// decodeEntry reads one table of a list, strictly.
func decodeEntry[T any](key string, raw any) (T, []entryError) {
	var entry T
	table, ok := raw.(map[string]any)
	if !ok {
		return entry, []entryError{{key, key + " must be a section"}}
	}
	t := reflect.TypeFor[T]()
	v := reflect.ValueOf(&entry).Elem()
	var names []string
	index := map[string]int{}
	for i := range t.NumField() {
		name := t.Field(i).Tag.Get("koanf")
		names = append(names, name)
		index[name] = i
	}
	var errs []entryError
	for _, name := range slices.Sorted(maps.Keys(table)) {
		i, ok := index[name]
		if !ok {
			msg := fmt.Sprintf("unknown key %s in %s", name, key)
			if n := near.Word(name, names); n != "" {
				msg += "; did you mean " + n + "?"
			}
			errs = append(errs, entryError{key + "." + name, msg})
			continue
		}
		value, err := convert(table[name], t.Field(i).Type, t.Field(i).Tag)
		if err != nil {
			errs = append(errs, entryError{key + "." + name, fmt.Sprintf("%s %v", name, err)})
			continue
		}
		v.Field(i).Set(reflect.ValueOf(value))
	}
	return entry, errs
}

package config

import (
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// places tells on which line of a TOML file each key stands. Keys are dotted; the entries of a list
// of tables are numbered from 0: sources.1.path.
type places map[string]int

func findPlaces(data []byte) places {
	at := places{}
	entries := map[string]int{}
	var prefix string
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		key, line := keyOf(&p, e)
		switch e.Kind {
		case unstable.Table:
			prefix = key
			at.first(prefix, line)
		case unstable.ArrayTable:
			n := entries[key]
			entries[key] = n + 1
			prefix = key + "." + strconv.Itoa(n)
			at.first(prefix, line)
		case unstable.KeyValue:
			if prefix != "" {
				key = prefix + "." + key
			}
			at.first(key, line)
			inline(&p, e.Value(), key, at)
		}
	}
	return at
}

// inline adds the keys of an inline table, or of a list of them.
func inline(p *unstable.Parser, v *unstable.Node, prefix string, at places) {
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			key, line := keyOf(p, it.Node())
			at.first(prefix+"."+key, line)
			inline(p, it.Node().Value(), prefix+"."+key, at)
		}
	case unstable.Array:
		n := 0
		for it := v.Children(); it.Next(); n++ {
			inline(p, it.Node(), prefix+"."+strconv.Itoa(n), at)
		}
	}
}

func keyOf(p *unstable.Parser, e *unstable.Node) (key string, line int) {
	var parts []string
	for it := e.Key(); it.Next(); {
		if line == 0 {
			line = p.Shape(it.Node().Raw).Start.Line
		}
		parts = append(parts, string(it.Node().Data))
	}
	return strings.Join(parts, "."), line
}

// first notes the line of key and of everything around it, where nothing stands yet.
func (at places) first(key string, line int) {
	for at[key] == 0 {
		at[key] = line
		i := strings.LastIndexByte(key, '.')
		if i < 0 {
			return
		}
		key = key[:i]
	}
}

// of returns the line of key, or of the nearest thing around it, or 0.
func (at places) of(key string) int {
	for {
		if line := at[key]; line > 0 {
			return line
		}
		i := strings.LastIndexByte(key, '.')
		if i < 0 {
			return 0
		}
		key = key[:i]
	}
}

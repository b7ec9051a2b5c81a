package config

import (
	"fmt"
	"math"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/openhuman/openhuman-core/internal/near"
)

// convert turns what a file, a variable or a flag holds into a value of the type t, checked by the
// tags. The error is a clause that follows the name of the key, and never repeats a secret.
func convert(raw any, t reflect.Type, tag reflect.StructTag) (any, error) {
	switch t.Kind() {
	case reflect.Bool:
		return toBool(raw)
	case reflect.Int:
		return toInt(raw, tag)
	case reflect.Slice:
		return toList(raw, tag)
	case reflect.String:
		return toText(raw, tag)
	}
	return nil, fmt.Errorf("cannot be set")
}

func toBool(raw any) (any, error) {
	s := strings.ToLower(strings.TrimSpace(fmt.Sprint(raw)))
	switch s {
	case "1", "true", "yes", "on":
		return true, nil
	case "0", "false", "no", "off":
		return false, nil
	}
	return nil, fmt.Errorf("must be true or false (1, yes, on, 0, no and off will do), not %s", shown(raw))
}

func toInt(raw any, tag reflect.StructTag) (any, error) {
	var n int64
	switch v := raw.(type) {
	case int64:
		n = v
	case float64:
		if v != math.Trunc(v) || math.Abs(v) > 1e15 {
			return nil, fmt.Errorf("must be a whole number, not %s", shown(raw))
		}
		n = int64(v)
	case string:
		i, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("must be a whole number, not %s", shown(raw))
		}
		n = i
	default:
		return nil, fmt.Errorf("must be a whole number, not %s", shown(raw))
	}
	low, high := bound(tag, "min", math.MinInt32), bound(tag, "max", math.MaxInt32)
	if n < low || n > high {
		return nil, fmt.Errorf("must be from %d to %d, not %d", low, high, n)
	}
	return int(n), nil
}

func bound(tag reflect.StructTag, name string, otherwise int64) int64 {
	if n, err := strconv.ParseInt(tag.Get(name), 10, 64); err == nil {
		return n
	}
	return otherwise
}

// toList reads a list; a text is its elements with commas between them, unless the tag says that it is one
// of them, as paths with commas are.
func toList(raw any, tag reflect.StructTag) (any, error) {
	list := []string{}
	if s, ok := raw.(string); ok && tag.Get("list") == "whole" {
		raw = []any{s}
	}
	switch v := raw.(type) {
	case string:
		for s := range strings.SplitSeq(v, ",") {
			if s = strings.TrimSpace(s); s != "" {
				list = append(list, s)
			}
		}
	case []any:
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil, fmt.Errorf("must be a list of texts, and %s is none", shown(e))
			}
			if s = strings.TrimSpace(s); s != "" {
				list = append(list, s)
			}
		}
	default:
		return nil, fmt.Errorf("must be a list of texts, not %s", shown(raw))
	}
	return list, nil
}

func toText(raw any, tag reflect.StructTag) (any, error) {
	s, ok := raw.(string)
	if !ok {
		return nil, fmt.Errorf("must be text in quotes, not %s", shown(raw))
	}
	s = strings.TrimSpace(s)
	if choices := strings.Fields(tag.Get("choices")); len(choices) > 0 {
		for _, c := range choices {
			if strings.EqualFold(s, c) {
				return c, nil
			}
		}
		err := fmt.Errorf("must be one of %s, not %s", strings.Join(choices, ", "), shown(raw))
		if n := near.Word(s, choices); n != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, n)
		}
		return nil, err
	}
	if tag.Get("check") == "url" && s != "" {
		u, err := url.Parse(s)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			// The value may hold a password, so it is not repeated.
			return nil, fmt.Errorf("must be an address that starts with http:// or https://")
		}
	}
	return s, nil
}

// shown is a value as an error message repeats it.
func shown(raw any) string {
	switch v := raw.(type) {
	case string:
		if r := []rune(v); len(r) > 40 {
			v = string(r[:40]) + "…"
		}
		return strconv.Quote(v)
	case bool, int64, float64:
		return fmt.Sprint(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a section"
	}
	return "that"
}

// withoutPassword hides the password in an address.
func withoutPassword(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.User == nil {
		return s
	}
	return u.Redacted()
}

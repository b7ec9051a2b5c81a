package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Field is one setting with a single value.
type Field struct {
	Key     string   // dotted: searxng.base_url
	Env     []string // variables that set it, the regular name first
	Aliases []string // other keys that are accepted
	Choices []string // the only values, when there are any
	Secret  bool

	typ   reflect.Type
	tag   reflect.StructTag
	index []int // path of struct fields from Config
}

// Keys that are treated in a way of their own.
const (
	clientsKey   = "policy.clients"
	denyToolsKey = "policy.deny_tools"
	// denySourcesKey holds globs over source ids.
	denySourcesKey = "policy.deny_sources"
	sourcesKey     = "sources"
	webAddressKey  = "searxng.base_url"
	providersKey   = "capability_providers"
)

// Fields lists every setting with a single value, in the order of Config. The entries of the lists
// [[sources]] and [[capability_providers]] and of [policy.clients] are not among them.
func Fields() []Field { return fieldsOf(reflect.TypeFor[Config](), "", nil) }

func fieldsOf(t reflect.Type, prefix string, index []int) []Field {
	var out []Field
	for i := range t.NumField() {
		f := t.Field(i)
		key, at := prefix+f.Tag.Get("koanf"), append(slices.Clone(index), i)
		switch {
		case f.Type.Kind() == reflect.Struct:
			out = append(out, fieldsOf(f.Type, key+".", at)...)
			continue
		case f.Type.Kind() == reflect.Map, f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct:
			continue
		}
		field := Field{
			Key:     key,
			Env:     []string{envName(key)},
			Choices: strings.Fields(f.Tag.Get("choices")),
			Secret:  f.Tag.Get("secret") != "",
			typ:     f.Type, tag: f.Tag, index: at,
		}
		if a := f.Tag.Get("alias"); a != "" {
			field.Aliases = []string{prefix + a}
			field.Env = append(field.Env, envName(prefix+a))
		}
		if e := f.Tag.Get("env"); e != "" {
			field.Env = append(field.Env, e)
		}
		out = append(out, field)
	}
	return out
}

// envName returns the variable of a key: searxng.base_url is OPENHUMAN_SEARXNG_BASE_URL.
func envName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

const envPrefix = "OPENHUMAN_"

// Type names what the field takes, for people.
func (f Field) Type() string {
	switch f.typ.Kind() {
	case reflect.Bool:
		return "yes or no"
	case reflect.Int:
		return "whole number"
	case reflect.Slice:
		return "list"
	}
	return "text"
}

// Value returns the field's value in c, as it is shown to people: secrets masked, lists joined.
func (f Field) Value(c *Config) string {
	v := reflect.ValueOf(c).Elem().FieldByIndex(f.index)
	switch {
	case f.Secret && v.String() != "":
		return "(set, not shown)"
	case f.typ.Kind() == reflect.Slice:
		return strings.Join(v.Interface().([]string), ", ")
	case f.tag.Get("check") == "url":
		return withoutPassword(v.String())
	}
	return fmt.Sprint(v.Interface())
}

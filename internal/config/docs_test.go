package config_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/golden"
)

// TestDocs writes docs/config.md from the Config struct, its tags, its comments and the defaults.
func TestDocs(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	d := docs{structs: map[string]*ast.StructType{}, about: map[string]string{}, fields: map[string]config.Field{}, defaults: config.Defaults()}
	for _, f := range config.Fields() {
		d.fields[f.Key] = f
	}
	for _, decl := range file.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			spec := g.Specs[0].(*ast.TypeSpec)
			if s, ok := spec.Type.(*ast.StructType); ok {
				d.structs[spec.Name.Name] = s
				d.about[spec.Name.Name] = strings.Join(strings.Fields(g.Doc.Text()), " ")
			}
		}
	}

	d.printf(`<!-- Generated from internal/config/config.go by: go test ./internal/config -update -->

# Settings

Flags win over variables, variables over %s, and that over the defaults. %[1]s lies in the workspace
(%s/%[1]s unless the workspace is set elsewhere, or --config names another file). Nothing has to be set.

%[3]sopenhuman-core config%[3]s prints what is in effect and where each value comes from. An unknown key or a bad value
is named with its line and the nearest right one: the command line refuses to go on, and %[3]smcp%[3]s says so on stderr,
starts with what is valid, and serves no memory if the part about %[3]s[policy]%[3]s cannot be trusted.

Lists in variables are separated by commas. Booleans take 1, true, yes, on and 0, false, no, off. An empty variable
counts as not set.
`, "config.toml", "~/.openhuman", "`")

	root := d.structs["Config"]
	d.table("", root)
	for _, f := range root.Fields.List {
		if id, ok := f.Type.(*ast.Ident); ok && d.structs[id.Name] != nil {
			key := tagOf(f).Get("koanf")
			d.printf("\n## [%s]\n\n%s\n", key, sentence(d.about[id.Name]))
			d.table(key+".", d.structs[id.Name])
		}
		if id, ok := entryType(f); ok {
			key := tagOf(f).Get("koanf")
			d.printf("\n## [[%s]]\n\n%s\n", key, sentence(d.about[id]))
			d.entryTable(d.structs[id])
		}
	}
	d.printf("\n## [policy.clients.NAME]\n\n%s\n", sentence(d.about["ClientPolicy"]))
	d.entryTable(d.structs["ClientPolicy"])
	golden.Check(t, "../../docs/config.md", d.Bytes())
}

type docs struct {
	bytes.Buffer
	structs  map[string]*ast.StructType
	about    map[string]string
	fields   map[string]config.Field
	defaults config.Config
}

func (d *docs) printf(format string, args ...any) { fmt.Fprintf(d, format, args...) }

func (d *docs) table(prefix string, s *ast.StructType) {
	d.printf("\n| key | variable | default | meaning |\n|---|---|---|---|\n")
	for _, f := range s.Fields.List {
		field, ok := d.fields[prefix+tagOf(f).Get("koanf")]
		if !ok {
			continue
		}
		value := field.Value(&d.defaults)
		if value != "" {
			value = "`" + value + "`"
		}
		// A second regular name would only be noise; a variable of another form is worth telling.
		names := "`" + field.Env[0] + "`"
		if last := field.Env[len(field.Env)-1]; strings.HasPrefix(last, "OPENHUMAN_CORE_") {
			names += ", `" + last + "`"
		}
		d.printf("| `%s` | %s | %s | %s |\n", field.Key, names, value, meaning(f, field.Type()))
	}
}

func (d *docs) entryTable(s *ast.StructType) {
	d.printf("\n| key | meaning |\n|---|---|\n")
	for _, f := range s.Fields.List {
		kind := "text"
		switch x := f.Type.(type) {
		case *ast.ArrayType:
			kind = "list"
		case *ast.Ident:
			if x.Name == "bool" {
				kind = "yes or no"
			}
		}
		d.printf("| `%s` | %s |\n", tagOf(f).Get("koanf"), meaning(f, kind))
	}
}

func meaning(f *ast.Field, kind string) string {
	s := strings.Join(strings.Fields(f.Doc.Text()), " ")
	tag := tagOf(f)
	var notes []string
	switch {
	case tag.Get("choices") != "":
		notes = append(notes, "one of `"+strings.Join(strings.Fields(tag.Get("choices")), "`, `")+"`")
	case tag.Get("max") != "":
		notes = append(notes, kind+" from "+tag.Get("min")+" to "+tag.Get("max"))
	case kind != "text":
		notes = append(notes, kind)
	}
	if a := tag.Get("alias"); a != "" {
		notes = append(notes, "`"+a+"` is accepted too")
	}
	if tag.Get("secret") != "" {
		notes = append(notes, "secret")
	}
	if len(notes) > 0 {
		s += " (" + strings.Join(notes, "; ") + ")"
	}
	return strings.ReplaceAll(s, "|", `\|`)
}

// sentence drops the name of the type that a comment begins with: "MCP is the stdio server."
func sentence(about string) string {
	_, rest, _ := strings.Cut(about, " ")
	rest = strings.TrimPrefix(rest, "is ")
	return strings.ToUpper(rest[:1]) + rest[1:]
}

func tagOf(f *ast.Field) reflect.StructTag {
	if f.Tag == nil {
		return ""
	}
	return reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
}

func entryType(f *ast.Field) (string, bool) {
	a, ok := f.Type.(*ast.ArrayType)
	if !ok {
		return "", false
	}
	id, ok := a.Elt.(*ast.Ident)
	return fmt.Sprint(id), ok && id.Name != "string"
}

// Every setting says what it is for.
func TestEveryFieldHasAComment(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		f, ok := node.(*ast.Field)
		if !ok || tagOf(f).Get("koanf") == "" {
			return true
		}
		if id, ok := f.Type.(*ast.Ident); ok && id.IsExported() {
			return true // a section: its type has the comment
		}
		if _, isEntries := entryType(f); isEntries {
			return true
		}
		n++
		if f.Doc.Text() == "" {
			t.Errorf("%s has no comment", f.Names[0].Name)
		}
		return true
	})
	if n < len(config.Fields()) {
		t.Errorf("saw %d fields, there are at least %d", n, len(config.Fields()))
	}
}

package archtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A file is one Go file of the module, parsed. go list is not asked: a test that runs it is cached
// wrongly.
type file struct {
	name    string // relative to the module, slashes
	pkg     string // its folder
	test    bool
	lines   int
	ast     *ast.File
	imports []string
}

func files(t *testing.T) []file {
	t.Helper()
	root := filepath.Join("..", "..")
	var all []file
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "testdata" || name == "node_modules" || p != root && strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), p, src, parser.ParseComments)
		if err != nil {
			return err
		}
		f := file{name: filepath.ToSlash(rel), test: strings.HasSuffix(name, "_test.go"), lines: bytes.Count(src, []byte("\n")), ast: tree}
		f.pkg = path.Dir(f.name)
		for _, spec := range tree.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, imp)
		}
		all = append(all, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("found only %d Go files", len(all))
	}
	return all
}

// listed reports whether pkg is among rows, where "bench/..." stands for everything below bench.
func listed(pkg string, rows []string) bool {
	return slices.ContainsFunc(rows, func(row string) bool {
		below, tree := strings.CutSuffix(row, "...")
		return pkg == row || row == everything || tree && strings.HasPrefix(pkg+"/", below)
	})
}

func rowOf(pkg string) ([]string, bool) {
	for row, may := range mayImport {
		if listed(pkg, []string{row}) {
			return may, true
		}
	}
	return nil, false
}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range files(t) {
		if f.test {
			continue
		}
		may, known := rowOf(f.pkg)
		if !known {
			if !seen[f.pkg] {
				t.Errorf("%s: a new package needs a row in internal/archtest/rules_test.go and in docs/architecture.md", f.pkg)
			}
			seen[f.pkg] = true
			continue
		}
		seen[f.pkg] = true
		for _, imp := range f.imports {
			if in, ok := strings.CutPrefix(imp, module); ok && !listed(in, may) {
				t.Errorf("%s must not import %s", f.name, in)
			}
			for prefix, allowed := range onlyIn {
				// A standard package is meant exactly; a module with everything in it.
				hit := imp == prefix || strings.Contains(prefix, ".") && strings.HasPrefix(imp, prefix+"/")
				if hit && !listed(f.pkg, allowed) {
					t.Errorf("%s must not import %s (only %s may)", f.name, imp, strings.Join(allowed, ", "))
				}
			}
		}
	}
	for row := range mayImport {
		if !strings.HasSuffix(row, "...") && !seen[row] {
			t.Errorf("%s has a row but no files", row)
		}
	}
}

// Every package says what it is for, in a comment that begins the way go doc expects.
func TestPackageComments(t *testing.T) {
	comments := map[string]string{}
	for _, f := range files(t) {
		if f.test {
			continue
		}
		if _, ok := comments[f.pkg]; !ok {
			comments[f.pkg] = ""
		}
		if f.ast.Doc == nil {
			continue
		}
		text := f.ast.Doc.Text()
		begin := "Package " + f.ast.Name.Name + " "
		if f.ast.Name.Name == "main" {
			begin = "Command " + path.Base(f.pkg) + " "
		}
		if !strings.HasPrefix(text, begin) {
			t.Errorf("%s: the package comment must begin with %q", f.name, begin)
		}
		if comments[f.pkg] != "" {
			t.Errorf("%s: the package has a second package comment", f.name)
		}
		comments[f.pkg] = text
	}
	for pkg, text := range comments {
		if text == "" {
			t.Errorf("%s has no package comment", pkg)
		}
	}
}

func TestFileSizes(t *testing.T) {
	for _, f := range files(t) {
		if !f.test && f.lines > maxLines {
			t.Errorf("%s has %d lines, more than %d: split it", f.name, f.lines, maxLines)
		}
	}
}

// What happens by itself is hard to find: no init, and standard output belongs to the command line.
func TestSideEffects(t *testing.T) {
	for _, f := range files(t) {
		if f.test {
			continue
		}
		free := listed(f.pkg, []string{"cmd/openhuman-core", "bench/...", "datagen/..."})
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == "init" && n.Recv == nil {
					t.Errorf("%s has an init function", f.name)
				}
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && id.Obj == nil && (id.Name == "print" || id.Name == "println") {
					t.Errorf("%s calls %s", f.name, id.Name)
				}
			case *ast.SelectorExpr:
				pkg, ok := n.X.(*ast.Ident)
				if !ok || free {
					return true
				}
				name := pkg.Name + "." + n.Sel.Name
				switch name {
				case "fmt.Print", "fmt.Printf", "fmt.Println", "os.Stdout", "os.Stdin", "os.Exit":
					t.Errorf("%s uses %s, which belongs to the command line", f.name, name)
				}
			}
			return true
		})
	}
}

var requirePattern = regexp.MustCompile(`(?m)^\t(\S+) v`)

// Every module that is imported has a row with its reason, and every row is of such a module.
func TestDependenciesAreExplained(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, m := range requirePattern.FindAllStringSubmatch(string(mod), -1) {
		used[m[1]] = false
	}
	for _, f := range files(t) {
		for _, imp := range f.imports {
			for m := range used {
				if imp == m || strings.HasPrefix(imp, m+"/") {
					used[m] = true
				}
			}
		}
	}
	for m, isUsed := range used {
		row := strings.Contains(string(doc), "\n| "+m+" ")
		// The parts of koanf are modules of their own.
		if strings.HasPrefix(m, "github.com/knadh/koanf/") && m != "github.com/knadh/koanf/v2" {
			continue
		}
		if isUsed != row {
			t.Errorf("%s: imported %v, has a row in docs/dependencies.md %v", m, isUsed, row)
		}
	}
}

// The rules themselves have to be able to fail.
func TestListed(t *testing.T) {
	for _, c := range []struct {
		pkg  string
		rows []string
		want bool
	}{
		{"bench/search", []string{"bench/..."}, true},
		{"bench", []string{"bench/..."}, true},
		{"benches", []string{"bench/..."}, false},
		{"pkg/store", []string{"pkg/store"}, true},
		{"pkg/store/storetest", []string{"pkg/store"}, false},
		{"anything", []string{everything}, true},
		{"pkg/store", nil, false},
	} {
		if got := listed(c.pkg, c.rows); got != c.want {
			t.Errorf("listed(%q, %q) = %v", c.pkg, c.rows, got)
		}
	}
}

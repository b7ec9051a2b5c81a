package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	tomlparser "github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/providers/structs"
	"github.com/knadh/koanf/v2"
	"github.com/openhuman/openhuman-core/internal/near"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/pelletier/go-toml/v2"
)

// maxFile bounds config.toml.
const maxFile = 1 << 20

// Options say where settings come from.
type Options struct {
	Path    string            // of config.toml; empty: config.toml in the workspace, which may be absent
	Environ []string          // NAME=value, as from os.Environ
	Flags   map[string]string // key to value: what the command line sets
	// DenyTool returns an error, which follows the key, when a pattern of policy.deny_tools denies
	// nothing there is; nil takes every pattern.
	DenyTool func(pattern string) error
	// ReviewProviders says what is wrong with the list of capability providers as a whole; nil takes
	// every list.
	ReviewProviders func([]ProviderEntry) []string
	// ReviewSource says what is wrong with a row of [[sources]]; nil takes every row.
	ReviewSource func(Source) error
}

// An Origin says what gave a setting its value.
type Origin string

// FromDefault is the origin of a setting that nothing has set. The others name their place: a file
// with the line, a variable, a flag.
const FromDefault Origin = "default"

// A Problem is something wrong in one place.
type Problem struct {
	Place   string // config.toml:3, OPENHUMAN_LOG, --log
	Msg     string
	Warning bool // said, but no reason to refuse
	Policy  bool // the policy may not be what its owner wrote
}

func (p Problem) String() string { return p.Place + ": " + p.Msg }

// Loaded is what Load has found.
type Loaded struct {
	Config   Config
	Path     string // the file that was read, or would have been
	Problems []Problem
	Origins  map[string]Origin // by key, for what is not a default
	// ProvidersVoid says why the list of capability providers is void, or is empty.
	ProvidersVoid string
	// ProviderEntries are the entries of that list as they were written, void or not.
	ProviderEntries []ProviderEntry
	// SourceEntries are the rows of [[sources]], those with a mistake too.
	SourceEntries []SourceEntry
}

// A SourceEntry is one row of [[sources]].
type SourceEntry struct {
	Source
	Number   int      // from 1
	Place    string   // where it stands
	Paths    []string // absolute
	Problems []string // why it is left out
}

// A ProviderEntry is one of [[capability_providers]].
type ProviderEntry struct {
	Provider
	Broken bool // it could not be read as what it should be
}

// Origin says where the value of key comes from.
func (l *Loaded) Origin(key string) Origin {
	if o, ok := l.Origins[key]; ok {
		return o
	}
	return FromDefault
}

// Err returns an Invalid fault that lists everything but the warnings, or nil.
func (l *Loaded) Err() error {
	var lines []string
	for _, p := range l.Problems {
		if !p.Warning {
			lines = append(lines, p.String())
		}
	}
	if lines == nil {
		return nil
	}
	return fault.New(fault.Invalid, "The configuration is not valid.\n  %s", strings.Join(lines, "\n  ")).
		WithHint("\nEvery setting is described in docs/config.md; `openhuman-core config` shows what is in effect.")
}

// PolicyUnknown returns an Unavailable fault when the policy that is in effect may not be the one
// that was written, so that nothing is served that its owner meant to hide; else nil.
func (l *Loaded) PolicyUnknown() error {
	for _, p := range l.Problems {
		if p.Policy {
			// Clients see this: it must not name what the policy was to hide.
			return fault.New(fault.Unavailable, "The policy in the configuration cannot be read, so nothing is served.").
				WithHint("The owner of this memory has to mend it; `openhuman-core config` shows what is wrong.")
		}
	}
	return nil
}

// Load reads the settings. It never fails: what is wrong is in Problems, and the rest is in effect.
func Load(o Options) *Loaded {
	l := &loader{
		Loaded: Loaded{Origins: map[string]Origin{}},
		fields: Fields(), home: homeIn(o.Environ), k: koanf.New("."), denyTool: o.DenyTool, reviewProviders: o.ReviewProviders, reviewSource: o.ReviewSource,
	}
	// The defaults come from a struct and cannot fail to be read.
	_ = l.k.Load(structs.Provider(Defaults(), "koanf"), nil)

	l.Path = l.expand(o.Path)
	explicit := o.Path != ""
	if !explicit {
		l.Path = filepath.Join(l.workspaceBefore(o), "config.toml")
	}
	l.file(explicit)
	l.environ(o.Environ)
	for key, value := range o.Flags {
		if f, ok := l.field(key); ok {
			flag := "--" + key[strings.LastIndexByte(key, '.')+1:]
			l.put(f, value, flag, Origin(flag))
		}
	}
	if err := l.k.Unmarshal("", &l.Config); err != nil {
		l.problem(Problem{Place: l.Path, Msg: err.Error(), Policy: true})
	}
	if l.home == "" && strings.HasPrefix(l.Config.Workspace, "~") {
		l.problem(Problem{Place: "workspace", Msg: "the home folder is not known; set OPENHUMAN_WORKSPACE to an absolute path"})
	}
	if l.badWeb {
		l.Config.SearXNG.Enabled = false // what is searched for must not go where nobody has sent it
	}
	l.Config.Workspace = l.resolve(l.Config.Workspace)
	return &l.Loaded
}

type loader struct {
	Loaded
	fields []Field
	home   string
	k      *koanf.Koanf
	at     places
	badWeb bool // searxng.base_url cannot be used

	denyTool        func(pattern string) error
	reviewProviders func([]ProviderEntry) []string
	reviewSource    func(Source) error
}

func (l *loader) problem(p Problem) { l.Problems = append(l.Problems, p) }

func (l *loader) field(key string) (Field, bool) {
	for _, f := range l.fields {
		if f.Key == key {
			return f, true
		}
		for _, a := range f.Aliases {
			if a == key {
				return f, true
			}
		}
	}
	return Field{}, false
}

// put sets one field, or says why not.
func (l *loader) put(f Field, raw any, place string, from Origin) {
	value, err := convert(raw, f.typ, f.tag)
	if err == nil {
		err = l.check(f.Key, value)
	}
	if err != nil {
		l.badWeb = l.badWeb || f.Key == webAddressKey
		msg := fmt.Sprintf("%s %v", f.Key, err)
		if f.Secret {
			msg = f.Key + " must be text"
		}
		l.problem(Problem{Place: place, Msg: msg, Policy: strings.HasPrefix(f.Key, "policy.")})
		return
	}
	if err := l.k.Set(f.Key, value); err != nil {
		l.problem(Problem{Place: place, Msg: fmt.Sprintf("%s cannot be set: %v", f.Key, err), Policy: strings.HasPrefix(f.Key, "policy.")})
		return
	}
	l.Origins[f.Key] = from
}

// severalSources finds a list that was written as one pattern, which would hide nothing, or one that
// carries the quotes or brackets of a list. Few settings have a list to look at, and it takes a while
// to compile.
var severalSources = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[;,\s]\s*"?[\pL\d_*-]+:|^\[?"|"\]?$`)
})

func oneSource(pattern string) error {
	if severalSources().MatchString(pattern) {
		return fmt.Errorf("%q is several sources in one pattern; write each on its own, with commas between them (a ? stands for any character)", pattern)
	}
	return nil
}

// check judges the values whose meaning is known elsewhere. A tool that is misspelt in deny_tools
// would be served.
func (l *loader) check(key string, value any) error {
	var judge func(pattern string) error
	switch key {
	case denySourcesKey:
		judge = oneSource
	case denyToolsKey:
		judge = l.denyTool
	}
	if judge == nil {
		return nil
	}
	list, _ := value.([]string)
	for _, pattern := range list {
		if err := judge(pattern); err != nil {
			return err
		}
	}
	return nil
}

// file reads config.toml. A file that is not there is fine unless somebody named it or left a link to
// it. What a file that is there but cannot be understood would have hidden is not known, whatever
// it holds.
func (l *loader) file(explicit bool) {
	data, err := readBounded(l.Path)
	if errors.Is(err, fs.ErrNotExist) {
		_, link := os.Lstat(l.Path)
		switch {
		case link == nil:
			l.problem(Problem{Place: l.Path, Msg: "is a link to a file that is not there", Policy: true})
		case explicit:
			l.problem(Problem{Place: l.Path, Msg: "there is no such file", Policy: true})
		}
		return
	}
	if err != nil {
		l.problem(Problem{Place: l.Path, Msg: "cannot be read: " + reason(err), Policy: true})
		return
	}
	text, err := decode(data)
	if err != nil {
		l.problem(Problem{Place: l.Path, Msg: err.Error(), Policy: true})
		return
	}
	file := koanf.New(".")
	if err := file.Load(rawbytes.Provider(text), tomlparser.Parser()); err != nil {
		p := Problem{Place: l.Path, Msg: "is not valid TOML: " + err.Error(), Policy: true}
		var syntax *toml.DecodeError
		if errors.As(err, &syntax) {
			row, _ := syntax.Position()
			p.Place, p.Msg = fmt.Sprintf("%s:%d", l.Path, row), strings.TrimPrefix(syntax.Error(), "toml: ")
		}
		l.problem(p)
		return
	}
	l.at = findPlaces(text)
	l.section("", file.Raw())
}

func readBounded(path string) ([]byte, error) {
	// Looking before opening: a named pipe would wait for its other end.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	return data, err
}

// reason is an error of the file system without the path, which the place has already.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// environ reads the variables. Names that begin like a section are checked; others belong to
// somebody else who uses the prefix too.
func (l *loader) environ(vars []string) {
	byName := map[string]Field{}
	var names, sections []string
	for _, f := range l.fields {
		for _, name := range f.Env {
			byName[name] = f
			names = append(names, name)
		}
		if section, _, ok := strings.Cut(f.Key, "."); ok {
			sections = append(sections, envName(section)+"_")
		}
	}
	seen := koanf.New(".")
	// The delimiter never splits a variable's name: they hold no dots that matter here.
	_ = seen.Load(env.Provider(".", env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: func() []string { return vars },
		TransformFunc: func(name, value string) (string, any) {
			if strings.TrimSpace(value) == "" || strings.Contains(name, ".") {
				return "", nil // clients like to pass empty variables for unset ones
			}
			return name, value
		},
	}), nil)
	for _, name := range seen.Keys() {
		f, ok := byName[name]
		if ok {
			l.put(f, seen.String(name), name, Origin(name))
			continue
		}
		p := Problem{Place: name, Msg: "no setting has this name", Warning: true}
		for _, s := range sections {
			if strings.HasPrefix(name, s) {
				p.Warning = false
				p.Policy = s == envName("policy")+"_"
			}
		}
		if n := near.Word(name, names); n != "" {
			p.Msg += "; did you mean " + n + "?"
		}
		l.problem(p)
	}
}

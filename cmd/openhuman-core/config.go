package main

import (
	"fmt"
	"maps"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/tools"
	"github.com/spf13/cobra"
)

// loadConfig reads the settings; what is wrong with them is in the result.
func (a *app) loadConfig() *config.Loaded {
	flags := map[string]string{}
	if a.workspace != "" {
		flags["workspace"] = a.workspace
	}
	maps.Copy(flags, a.flags)
	return config.Load(config.Options{
		Path: a.configPath, Environ: a.environ, Flags: flags, DenyTool: tools.Deniable,
		ReviewSource:    reviewSource,
		ReviewProviders: func(entries []config.ProviderEntry) []string { return reviewed(entries).Errors },
	})
}

// settings reads the settings for a command that refuses wrong ones.
func (a *app) settings() (config.Config, error) {
	l := a.loadConfig()
	if err := l.Err(); err != nil {
		return config.Config{}, err
	}
	a.warn(l)
	return l.Config, nil
}

// warning says on stderr what is no reason to stop.
func (a *app) warning(text string) {
	fmt.Fprintln(a.stderr, term.Clean("openhuman-core: warning: "+text))
}

// warn tells the problems that are no reason to stop.
func (a *app) warn(l *config.Loaded) {
	for _, p := range l.Problems {
		if p.Warning {
			a.warning(p.String())
		}
	}
}

func newConfigCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the settings in effect and where each comes from",
		Long: `Shows every setting with its value and where the value comes from. Secrets are not shown.
The meaning of each setting is described in docs/config.md.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			l := a.loadConfig()
			if err := a.printConfig(l); err != nil {
				return err
			}
			a.warn(l)
			return l.Err()
		},
	}
	a.jsonFlag(c)
	return c
}

func (a *app) printConfig(l *config.Loaded) error {
	type setting struct {
		Key    string        `json:"key"`
		Value  string        `json:"value"`
		Origin config.Origin `json:"origin"`
	}
	var all []setting
	for _, f := range config.Fields() {
		all = append(all, setting{f.Key, f.Value(&l.Config), l.Origin(f.Key)})
	}
	for i, s := range l.Config.Sources {
		all = append(all, setting{fmt.Sprintf("sources.%d", i), fmt.Sprint(s.Path), l.Origin("sources")})
	}
	for i, p := range l.Config.CapabilityProviders {
		all = append(all, setting{fmt.Sprintf("capability_providers.%d", i), p.ID, l.Origin("capability_providers")})
	}
	if a.json {
		type problem struct {
			Place   string `json:"place"`
			Message string `json:"message"`
			Warning bool   `json:"warning"`
		}
		problems := []problem{}
		for _, p := range l.Problems {
			problems = append(problems, problem{p.Place, p.Msg, p.Warning})
		}
		return a.printJSON(struct {
			File     string    `json:"file"`
			Settings []setting `json:"settings"`
			Problems []problem `json:"problems"`
		}{l.Path, all, problems})
	}
	table := term.Table{Head: []string{"SETTING", "VALUE", "FROM"}, Wide: 1}
	for _, s := range all {
		table.Row(s.Key, s.Value, string(s.Origin))
	}
	fmt.Fprintf(a.stdout, "file: %s\n\n", term.Line(l.Path))
	return table.Write(a.stdout, term.Columns(a.stdout))
}

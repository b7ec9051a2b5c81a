package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/demo"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/spf13/cobra"
)

func newDemoCommand(a *app) *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show a session with a small invented memory",
		Long: `Takes the mails, chats and notes of an invented person into a throw-away memory, starts "openhuman-core mcp" the
way a client does, and shows what is sent and what comes back. Your own memory is not touched.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			memory := demo.Memory()
			if folder != "" {
				memory = os.DirFS(folder)
			}
			return a.demo(c.Context(), memory)
		},
	}
	c.Flags().StringVar(&folder, "memory", "", "use the files in `FOLDER` instead of the invented memory")
	return c
}

func (a *app) demo(ctx context.Context, memory fs.FS) (err error) {
	dir, err := os.MkdirTemp("", "openhuman-demo-")
	if err != nil {
		return fmt.Errorf("make a throw-away folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	files, workspace := filepath.Join(dir, "files"), filepath.Join(dir, "workspace")
	if err := os.Mkdir(files, 0o700); err != nil {
		return fmt.Errorf("make a throw-away folder: %w", err)
	}
	paths, err := demo.Write(memory, files)
	if err != nil {
		return err
	}

	a.say("# Taking in the memory of an invented person\n")
	a.say("$ openhuman-core ingest %s", strings.Join(names(paths), " "))
	cfg := config.Defaults()
	cfg.Workspace = workspace
	s, err := a.openWriter(ctx, cfg)
	if err != nil {
		return err
	}
	w, err := loadWriters(cfg)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	sum, err := ingest.Run(ctx, ingest.Options{Store: s, Instant: w.instant}, paths)
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	a.say("  %s documents, %s chunks in %s", number(sum.Added), number(sum.Chunks), span(sum.Elapsed))
	for _, p := range sum.Problems {
		a.say("  %s: %s (%s)", p.Outcome, filepath.Base(p.Path), p.Reason)
	}
	if sum.Chunks == 0 {
		return fault.New(fault.NotFound, "There is no text in that memory.")
	}

	a.say("\n# A client's session with it\n\n$ openhuman-core mcp")
	p, err := a.startServer(ctx, workspace)
	if err != nil {
		return err
	}
	if err := a.demoSession(p); err != nil {
		p.kill()
		return err
	}
	if err := p.end(); err != nil {
		return fmt.Errorf("the server ended badly: %w", err)
	}
	a.say(`
# Your own memory

  openhuman-core ingest ~/notes ~/mail.mbox      take in what you have
  openhuman-core search WORDS                    look into it
  and README.md shows how Claude Desktop, Cursor and Zed start "openhuman-core mcp"`)
	return nil
}

func names(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = filepath.Base(p)
	}
	return out
}

// demoSession is what a client might do: look around, search, ask, read, and list.
func (a *app) demoSession(p *peer) error {
	var hello struct {
		ProtocolVersion string          `json:"protocolVersion"`
		Capabilities    json.RawMessage `json:"capabilities"`
		ServerInfo      struct{ Name, Version string }
	}
	a.say("\nThe client says hello.")
	err := a.exchange(p, "initialize", json.RawMessage(`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"demo","version":"`+version+`"}}`), &hello)
	if err != nil {
		return err
	}
	a.say("<- %s %s, protocol %s, %s", hello.ServerInfo.Name, hello.ServerInfo.Version, hello.ProtocolVersion, hello.Capabilities)
	if err := p.notify("notifications/initialized"); err != nil {
		return err
	}

	a.say("\nWhich tools are there?")
	var list struct {
		Tools []struct{ Name, Description string }
	}
	if err := a.exchange(p, "tools/list", nil, &list); err != nil {
		return err
	}
	for _, t := range list.Tools {
		a.item("<- %-19s %s", t.Name, t.Description)
	}

	a.say("\nWords, best match first.")
	var found controller.SearchResult
	if err := a.callTool(p, "memory.search", controller.SearchParams{Query: "boiler warranty", K: 3}, &found); err != nil {
		return err
	}
	a.rows(found.Chunks, found.Hint)

	a.say("\nThe same in Chinese.")
	if err := a.callTool(p, "memory.search", controller.SearchParams{Query: "签证", K: 3}, &found); err != nil {
		return err
	}
	a.rows(found.Chunks, found.Hint)

	a.say("\nA question in plain words.")
	var recalled controller.RecallResult
	if err := a.callTool(p, "memory.recall", controller.RecallParams{Query: "Why did the port authority choose our gauges?", K: 3}, &recalled); err != nil {
		return err
	}
	a.rows(recalled.Chunks, recalled.Hint)

	if len(recalled.Chunks) > 0 {
		a.say("\nThe best of these in full.")
		var read controller.GetChunkResult
		if err := a.callTool(p, "tree.read_chunk", controller.GetChunkParams{ChunkID: recalled.Chunks[0].ChunkID}, &read); err != nil {
			return err
		}
		for line := range strings.Lines(read.Chunk.Content) {
			a.item("<- %s", strings.TrimRight(line, "\n"))
		}
	}

	a.say("\nThe newest chats.")
	var page controller.ListChunksResult
	if err := a.callTool(p, "tree.browse", controller.ListChunksParams{SourceKinds: []string{"chat"}, K: 2}, &page); err != nil {
		return err
	}
	a.rows(page.Chunks, page.Hint)
	a.item("   (%d in all)", page.Total)

	a.say("\nWho is in it?")
	var people controller.TopEntitiesResult
	if err := a.callTool(p, "tree.top_entities", controller.TopEntitiesParams{Kind: "person", K: 5}, &people); err != nil {
		return err
	}
	for _, e := range people.Entities {
		a.item("<- %3d  %s (%s)", e.Count, e.Surface, e.EntityID)
	}

	a.say("\nWhere did it come from?")
	var sources controller.ListSourcesResult
	if err := a.callTool(p, "tree.list_sources", nil, &sources); err != nil {
		return err
	}
	for _, s := range sources.Sources {
		a.item("<- %-16s %-9s %3d chunks, latest %s", s.SourceID, s.SourceKind, s.ChunkCount, day(s.MostRecentMS))
	}

	a.say("\nAnd the built-in prompts.")
	var prompts struct{ Resources []struct{ URI string } }
	if err := a.exchange(p, "resources/list", nil, &prompts); err != nil {
		return err
	}
	a.item("<- %d prompts, such as %s", len(prompts.Resources), first(prompts.Resources).URI)
	return nil
}

func first[T any](list []T) T {
	var none T
	if len(list) == 0 {
		return none
	}
	return list[0]
}

// exchange shows a request, sends it and decodes the result.
func (a *app) exchange(p *peer, method string, params, result any) error {
	line, err := p.request(method, params)
	if err != nil {
		return err
	}
	for i, part := range term.Wrap(line, term.Columns(a.stdout)-3, 4) {
		a.item("%s %s", []string{"->", "  "}[min(i, 1)], part)
	}
	return p.response(result)
}

// callTool does the same for a tool, whose result is in structuredContent.
func (a *app) callTool(p *peer, tool string, arguments, result any) error {
	if arguments == nil {
		arguments = map[string]any{}
	}
	var out struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	call := struct {
		Name      string `json:"name"`
		Arguments any    `json:"arguments"`
	}{tool, arguments}
	if err := a.exchange(p, "tools/call", call, &out); err != nil {
		return err
	}
	if out.IsError {
		return fmt.Errorf("%s: %s", tool, first(out.Content).Text)
	}
	if err := json.Unmarshal(out.StructuredContent, result); err != nil {
		return fmt.Errorf("read the answer of %s: %w", tool, err)
	}
	return nil
}

func (a *app) rows(rows []controller.Row, hint string) {
	width := term.Columns(a.stdout)
	for i, r := range rows {
		a.item("<- %d. %s", i+1, headline(r))
		for _, line := range term.Wrap(term.Line(r.Preview), width-6, 2) {
			a.item("      %s", line)
		}
	}
	if len(rows) == 0 {
		a.item("<- nothing. %s", hint)
	}
}

// say prints a paragraph; item prints one line, cut to the terminal.
func (a *app) say(format string, args ...any) {
	fmt.Fprintln(a.stdout, term.Clean(fmt.Sprintf(format, args...)))
}

func (a *app) item(format string, args ...any) {
	fmt.Fprintln(a.stdout, term.Cut(term.Clean(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ")), term.Columns(a.stdout)))
}

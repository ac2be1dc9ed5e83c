// overlay OUT PACKAGE…: copies upstream's plugin packages and their tests from the module cache into packages upstream/X of this
// module, in which every call of a test to a plugin goes through the recorder. Their files are in OUT only, with an overlay
// (see `go help build`) that maps them into this module; the repository keeps nothing of upstream.
//
// In the plugins' files it renames the methods of the extension points, the hints and the constructors, and adds a file with
// methods of the old names that call them and record the call. In the test files it makes every function with a test
// parameter report its test to the recorder, and makes tests run one after the other.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

const recorder = "podium.dev/e2e/tables/recorder"

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: overlay OUT PACKAGE…")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "overlay:", err)
		os.Exit(1)
	}
}

func run(out string, packages []string) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for _, path := range packages {
		list := exec.Command("go", "list", "-f", "{{.Dir}}", path)
		list.Stderr = os.Stderr
		dir, err := list.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		name := filepath.Base(path)
		if err := overlay(strings.TrimSpace(string(dir)), filepath.Join(out, name), filepath.Join(here, "upstream", name), replace); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "overlay.json"), text, 0o644)
}

// An edit of a file's text: `text` goes where from..to was.
type edit struct {
	from, to int
	text     string
}

type source struct {
	name string
	text []byte
	file *ast.File
	set  *token.FileSet
}

func (s *source) at(pos token.Pos) int { return s.set.Position(pos).Offset }
func (s *source) of(node ast.Node) string {
	return string(s.text[s.at(node.Pos()):s.at(node.End())])
}

// Writes the package in `dir` into `out`; the overlay shows it in `seen`.
func overlay(dir, out, seen string, replace map[string]string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	sources, err := parse(dir)
	if err != nil {
		return err
	}
	wrappers := newWrappers(sources)
	for _, s := range sources {
		var edits []edit
		if strings.HasSuffix(s.name, "_test.go") {
			edits = slices.Concat(enterTests(s), oneByOne(s), askBefore(s))
		} else {
			edits = wrappers.rename(s)
		}
		file := filepath.Join(out, s.name)
		if err := os.WriteFile(file, apply(s.text, edits), 0o644); err != nil {
			return err
		}
		replace[filepath.Join(seen, s.name)] = file
	}
	text, err := wrappers.text(sources[0].file.Name.Name)
	if err != nil {
		return err
	}
	file := filepath.Join(out, "zz_tables.go")
	replace[filepath.Join(seen, "zz_tables.go")] = file
	return os.WriteFile(file, text, 0o644)
}

func parse(dir string) ([]*source, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var sources []*source
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		sources = append(sources, &source{filepath.Base(path), text, file, set})
	}
	return sources, nil
}

// Where a function or method of this name is called.
func (s *source) calls(name string) []int {
	var found []int
	ast.Inspect(s.file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch function := call.Fun.(type) {
		case *ast.Ident:
			if function.Name == name {
				found = append(found, s.at(function.Pos()))
			}
		case *ast.SelectorExpr:
			if function.Sel.Name == name {
				found = append(found, s.at(function.Sel.Pos()))
			}
		}
		return true
	})
	return found
}

func apply(text []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	var result []byte
	last := 0
	for _, e := range edits {
		result = append(append(result, text[last:e.from]...), e.text...)
		last = e.to
	}
	return append(result, text[last:]...)
}

// Makes every function with a test parameter report the test first.
func enterTests(s *source) []edit {
	var edits []edit
	enter := func(function *ast.FuncType, body *ast.BlockStmt) {
		if body == nil {
			return
		}
		for _, parameter := range function.Params.List {
			kind := s.of(parameter.Type)
			if (kind == "*testing.T" || kind == "ktesting.TContext") && len(parameter.Names) > 0 && parameter.Names[0].Name != "_" {
				at := s.at(body.Lbrace) + 1
				edits = append(edits, edit{at, at, " podiumtables.Enter(" + parameter.Names[0].Name + "); "})
			}
		}
	}
	ast.Inspect(s.file, func(node ast.Node) bool {
		switch f := node.(type) {
		case *ast.FuncDecl:
			enter(f.Type, f.Body)
		case *ast.FuncLit:
			enter(f.Type, f.Body)
		}
		return true
	})
	if len(edits) > 0 {
		// On the line of the package clause, so that line numbers stay.
		at := s.at(s.file.Name.End())
		edits = append(edits, edit{at, at, "; import podiumtables \"" + recorder + "\""})
	}
	return edits
}

// Removes parallelism: the recorder attributes questions to the one running test.
func oneByOne(s *source) []edit {
	var edits []edit
	ast.Inspect(s.file, func(node ast.Node) bool {
		statement, ok := node.(*ast.ExprStmt)
		if ok && s.of(statement) == "t.Parallel()" {
			edits = append(edits, edit{s.at(statement.Pos()), s.at(statement.End()), ""})
		}
		return true
	})
	return edits
}

// What a method is renamed to, and the body of the one that takes its place. {{.Old}} is the renamed one; the parameters
// are p0, p1 and so on, and the receiver is pl.
var bodies = map[string]string{
	"PreEnqueue": `answer := pl.{{.Old}}(p0, p1)
	podiumtables.PreEnqueue(pl, p1, answer)
	return answer`,
	"PreFilter": `result, status := pl.{{.Old}}(p0, p1, p2, p3)
	podiumtables.PreFilter(p0, pl, p1, p2, p3, result, status, {{.Other "Filter"}})
	return result, status`,
	"AddPod": `status := pl.{{.Old}}(p0, p1, p2, p3, p4)
	podiumtables.Changed(p0, "add", pl, p1, p2, p3, p4, status, {{.Other "Filter"}})
	return status`,
	"RemovePod": `status := pl.{{.Old}}(p0, p1, p2, p3, p4)
	podiumtables.Changed(p0, "remove", pl, p1, p2, p3, p4, status, {{.Other "Filter"}})
	return status`,
	"Filter": `status := pl.{{.Old}}(p0, p1, p2, p3)
	podiumtables.Filter(pl, p1, p2, p3, status)
	return status`,
	"PreScore": `status := pl.{{.Old}}(p0, p1, p2, p3)
	podiumtables.PreScore(p0, pl, p1, p2, p3, status, {{.Other "Score"}}, {{.Other "NormalizeScore"}})
	return status`,
	"Score": `score, status := pl.{{.Old}}(p0, p1, p2, p3)
	podiumtables.Score(pl, p1, p2, p3, score, status)
	return score, status`,
	"NormalizeScore": `status := pl.{{.Old}}(p0, p1, p2, p3)
	podiumtables.Normalized(pl, p1, p2, p3, status)
	return status`,
	"FindPodVolumes": `volumes, reasons, err := pl.{{.Old}}(p0, p1, p2, p3)
	podiumtables.Volumes(pl, p1, p3, reasons, err)
	return volumes, reasons, err`,
	"hint": `answer, err := pl.{{.Old}}(p0, p1, p2, p3)
	podiumtables.Hint(pl, "{{.Name}}", p1, p2, p3, answer, err)
	return answer, err`,
	"new": `plugin, err := {{.Old}}({{.Arguments}})
	podiumtables.Made(plugin, p1, p2)
	return plugin, err`,
}

type wrapper struct {
	Receiver, Name, Old, Signature, Arguments, Body string
	others                                          map[string]bool // the methods of the same receiver that are renamed
}

// The renamed method, or nil where there is none.
func (w wrapper) Other(method string) string {
	if w.others[method] {
		return "pl." + renamed(method)
	}
	return "nil"
}

type wrappers struct {
	plugins map[string]map[string]bool // by type: its methods that are renamed
	listers map[string][]string        // by type: its fields that are listers
	all     []wrapper
	imports map[string]string // by the name in the signatures
}

func renamed(name string) string { return strings.ToLower(name[:1]) + name[1:] + "OfUpstream" }

func newWrappers(sources []*source) *wrappers {
	w := &wrappers{plugins: map[string]map[string]bool{}, listers: map[string][]string{}, imports: map[string]string{}}
	each := func(visit func(s *source, f *ast.FuncDecl)) {
		for _, s := range sources {
			for _, declaration := range s.file.Decls {
				if f, ok := declaration.(*ast.FuncDecl); ok && !strings.HasSuffix(s.name, "_test.go") {
					visit(s, f)
				}
			}
		}
	}
	each(func(s *source, f *ast.FuncDecl) {
		if f.Name.Name == "Name" && f.Recv != nil {
			w.plugins[receiver(s, f)] = map[string]bool{}
		}
	})
	each(func(s *source, f *ast.FuncDecl) {
		if w.body(s, f) != "" && f.Recv != nil && w.plugins[receiver(s, f)] != nil {
			w.plugins[receiver(s, f)][f.Name.Name] = true
		}
	})
	for _, s := range sources {
		w.findListers(s)
	}
	return w
}

// Records which fields of a plugin are listers.
func (w *wrappers) findListers(s *source) {
	ast.Inspect(s.file, func(node ast.Node) bool {
		declared, ok := node.(*ast.TypeSpec)
		if !ok {
			return true
		}
		fields, ok := declared.Type.(*ast.StructType)
		if !ok || w.plugins[declared.Name.Name] == nil {
			return true
		}
		for _, field := range fields.Fields.List {
			kind := s.of(field.Type)
			if (strings.HasSuffix(kind, "Lister") && kind != "fwk.SharedLister") || kind == "fwk.CSIManager" || kind == "cache.Indexer" {
				for _, name := range field.Names {
					w.listers[declared.Name.Name] = append(w.listers[declared.Name.Name], "pl."+name.Name)
				}
			}
		}
		return true
	})
}

func receiver(s *source, f *ast.FuncDecl) string {
	return strings.TrimPrefix(s.of(f.Recv.List[0].Type), "*")
}

// The name of the template for this function; empty if it stays unchanged.
func (w *wrappers) body(s *source, f *ast.FuncDecl) string {
	if f.Type.Results == nil || len(f.Type.Results.List) == 0 {
		return ""
	}
	first := s.of(f.Type.Results.List[0].Type)
	if f.Recv == nil {
		if strings.HasPrefix(f.Name.Name, "New") && (first == "fwk.Plugin") {
			return "new"
		}
		return ""
	}
	if w.plugins[receiver(s, f)] == nil {
		// VolumeBinding's filter is in another type, which has many tests.
		if receiver(s, f) == "volumeBinder" && f.Name.Name == "FindPodVolumes" {
			return f.Name.Name
		}
		return ""
	}
	if first == "fwk.QueueingHint" {
		return "hint"
	}
	if _, ok := bodies[f.Name.Name]; ok {
		return f.Name.Name
	}
	return ""
}

func (w *wrappers) rename(s *source) []edit {
	var edits []edit
	for _, declaration := range s.file.Decls {
		f, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		body := w.body(s, f)
		if body == "" {
			continue
		}
		edits = append(edits, edit{s.at(f.Name.Pos()), s.at(f.Name.End()), renamed(f.Name.Name)})
		made := wrapper{Name: f.Name.Name, Old: renamed(f.Name.Name), Body: body}
		if f.Recv != nil {
			made.Receiver = "(pl " + s.of(f.Recv.List[0].Type) + ") "
			made.others = w.plugins[receiver(s, f)]
		}
		var parameters, names []string
		for _, parameter := range f.Type.Params.List {
			for range max(1, len(parameter.Names)) {
				names = append(names, fmt.Sprintf("p%d", len(names)))
				parameters = append(parameters, names[len(names)-1]+" "+s.of(parameter.Type))
			}
			w.use(s, parameter.Type)
		}
		w.use(s, f.Type.Results)
		made.Arguments = strings.Join(names, ", ")
		made.Signature = "(" + strings.Join(parameters, ", ") + ") " + s.of(f.Type.Results)
		w.all = append(w.all, made)
	}
	return edits
}

// Records the imports that a signature needs.
func (w *wrappers) use(s *source, node ast.Node) {
	ast.Inspect(node, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		name, ok := selector.X.(*ast.Ident)
		if !ok {
			return true
		}
		for _, spec := range s.file.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			known := filepath.Base(path)
			if spec.Name != nil {
				known = spec.Name.Name
			} else if known == "v2" {
				known = filepath.Base(filepath.Dir(path))
			}
			if known == name.Name {
				w.imports[known] = path
			}
		}
		return true
	})
}

func (w *wrappers) text(name string) ([]byte, error) {
	var text strings.Builder
	maps.Copy(w.imports, inside[name].imports)
	fmt.Fprintf(&text, "package %s\n\nimport podiumtables %q\n", name, recorder)
	for known, path := range w.imports {
		fmt.Fprintf(&text, "import %s %q\n", known, path)
	}
	for _, made := range w.all {
		body, err := template.New(made.Name).Parse(bodies[made.Body])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&text, "\nfunc %s%s%s {\n\t", made.Receiver, made.Name, made.Signature)
		if err := body.Execute(&text, made); err != nil {
			return nil, err
		}
		text.WriteString("\n}\n")
	}
	for plugin, listers := range w.listers {
		if strings.Contains(inside[name].text, "(pl *"+plugin+") TablesListers(") {
			continue
		}
		fmt.Fprintf(&text, "\nfunc (pl *%s) TablesListers() []any {\n\treturn []any{%s}\n}\n", plugin, strings.Join(listers, ", "))
	}
	text.WriteString(inside[name].text)
	return []byte(text.String()), nil
}

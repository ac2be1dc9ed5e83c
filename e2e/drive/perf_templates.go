package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"text/template"

	"sigs.k8s.io/yaml"
)

// fromTemplate reads a YAML file with the functions and values that upstream's templates use. An empty path leaves `into` as it is.
func (r *perfRun) fromTemplate(path string, params map[string]any, index, count int, into any) error {
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(r.c.directory, path))
	if err != nil {
		return err
	}
	parsed, err := template.New(path).Funcs(templateFunctions).Parse(string(text))
	if err != nil {
		return err
	}
	values := maps.Clone(params)
	if values == nil {
		values = map[string]any{}
	}
	values["Index"], values["Count"] = index, count
	var out bytes.Buffer
	if err := parsed.Execute(&out, values); err != nil {
		return err
	}
	return yaml.UnmarshalStrict(out.Bytes(), into)
}

func number(value any) float64 {
	switch n := value.(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	panic(fmt.Sprintf("%v is not a number", value))
}

func fold(f func(a, b float64) float64) func(...any) float64 {
	return func(values ...any) float64 {
		out := number(values[0])
		for _, value := range values[1:] {
			out = f(out, number(value))
		}
		return out
	}
}

func asInt(f func(...any) float64) func(...any) int {
	return func(values ...any) int { return int(f(values...)) }
}

var (
	add      = fold(func(a, b float64) float64 { return a + b })
	subtract = fold(func(a, b float64) float64 { return a - b })
	multiply = fold(func(a, b float64) float64 { return a * b })
	divide   = fold(func(a, b float64) float64 { return a / b })

	templateFunctions = template.FuncMap{
		"AddFloat": add, "SubtractFloat": subtract, "MultiplyFloat": multiply, "DivideFloat": divide,
		"AddInt": asInt(add), "SubtractInt": asInt(subtract), "MultiplyInt": asInt(multiply), "DivideInt": asInt(divide),
		"Int":  func(value any) int { return int(number(value)) },
		"Mod":  func(a, b any) int { return int(number(a)) % int(number(b)) },
		"JSON": func(value any) (string, error) { text, err := json.Marshal(value); return string(text), err },
	}
)

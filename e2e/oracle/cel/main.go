// cel evaluates CEL selectors on devices with the environment that Kubernetes gives to dynamic resource allocation.
//
//	cel --pairs 1000 --seed 7     generates devices and expressions and writes them with the answers
//	cel --cases                   reads devices and expressions, one JSON object a line, and answers these
//
// A line is {"devices": […]}, or {"expression": "…", "want": […]} with an answer for each device: "true", "false" or
// "error: …". Expressions that the API server refuses are left out, or get {"refused": "…"} with --cases.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/cel"
)

type attribute struct {
	Int     *int64  `json:"int,omitempty"`
	Bool    *bool   `json:"bool,omitempty"`
	String  *string `json:"string,omitempty"`
	Version *string `json:"version,omitempty"`
}

type device struct {
	Driver     string               `json:"driver"`
	Multiple   bool                 `json:"multiple"`
	Attributes map[string]attribute `json:"attributes"`
	Capacity   map[string]string    `json:"capacity"`
}

func (d device) input() cel.Device {
	in := cel.Device{
		Driver:                   d.Driver,
		AllowMultipleAllocations: &d.Multiple,
		Attributes:               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{},
		Capacity:                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{},
	}
	for name, a := range d.Attributes {
		in.Attributes[resourceapi.QualifiedName(name)] = resourceapi.DeviceAttribute{
			IntValue: a.Int, BoolValue: a.Bool, StringValue: a.String, VersionValue: a.Version}
	}
	for name, amount := range d.Capacity {
		in.Capacity[resourceapi.QualifiedName(name)] = resourceapi.DeviceCapacity{Value: resource.MustParse(amount)}
	}
	return in
}

// answers evaluates the expression on each device; an error is why the API server refuses it.
func answers(expression string, devices []device) (all []string, refused error) {
	// The compiler crashes on some lists of optional elements.
	defer func() {
		if fault := recover(); fault != nil {
			refused = fmt.Errorf("crash: %v", fault)
		}
	}()
	compiler := cel.GetCompiler(cel.Features{EnableConsumableCapacity: true})
	compiled := compiler.CompileCELExpression(expression, cel.Options{})
	if compiled.Error != nil {
		return nil, fmt.Errorf("%s", compiled.Error.Detail)
	}
	if compiled.MaxCost > resourceapi.CELSelectorExpressionMaxCost {
		return nil, fmt.Errorf("too complex")
	}
	for _, d := range devices {
		matches, _, err := compiled.DeviceMatches(context.Background(), d.input())
		switch {
		case err == nil:
			all = append(all, fmt.Sprint(matches))
		case strings.Contains(err.Error(), "could not be converted to bool"):
			// The words after it are those of the conversion, not of the evaluation.
			text, _, _ := strings.Cut(err.Error(), ":")
			all = append(all, "error: "+text)
		default:
			all = append(all, "error: "+err.Error())
		}
	}
	return all, nil
}

func main() {
	pairs := flag.Int("pairs", 1000, "pairs of an expression and a device")
	seed := flag.Int64("seed", 1, "seed of the generator")
	cases := flag.Bool("cases", false, "answer what is read")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	if *cases {
		answerCases(lines)
		return
	}
	g := &generator{rand: rand.New(rand.NewSource(*seed))}
	const perDevices, perExpression = 50, 8
	for made := 0; made < *pairs; {
		devices := make([]device, perExpression)
		for i := range devices {
			devices[i] = g.device()
		}
		lines.Encode(map[string]any{"devices": devices})
		for i := 0; i < perDevices && made < *pairs; {
			expression := g.expression()
			want, err := answers(expression, devices)
			if err != nil {
				g.refused++
				continue
			}
			i++
			made += len(want)
			lines.Encode(map[string]any{"expression": expression, "want": want})
		}
	}
	fmt.Fprintf(os.Stderr, "%d generated expressions are left out, which the API server refuses\n", g.refused)
}

func answerCases(lines *json.Encoder) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	var devices []device
	for in.Scan() {
		var line struct {
			Devices    []device `json:"devices,omitempty"`
			Expression string   `json:"expression,omitempty"`
		}
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if line.Expression == "" {
			devices = line.Devices
			lines.Encode(line)
			continue
		}
		want, err := answers(line.Expression, devices)
		if err != nil {
			lines.Encode(map[string]any{"expression": line.Expression, "refused": err.Error()})
			continue
		}
		lines.Encode(map[string]any{"expression": line.Expression, "want": want})
	}
}

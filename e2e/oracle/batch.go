package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"sync"

	"github.com/spf13/pflag"
)

func batchCommand() *command {
	flags := pflag.NewFlagSet("oracle batch", pflag.ContinueOnError)
	var input inputFlags
	placing := flags.Bool("place", false, "place the pods, following each scenario's placed.json, and write expected-placed.json")
	jobs := flags.IntP("jobs", "j", runtime.GOMAXPROCS(0), "number of scenarios to work on at the same time")
	input.register(flags)
	return &command{flags: flags, run: func(ctx context.Context, args []string) error {
		if len(args) != 1 {
			return errors.New("batch takes one argument, the directory with the scenarios")
		}
		b := batch{input: input, jobs: max(*jobs, 1), file: "expected.json", answer: evaluate}
		if *placing {
			b.file, b.answer = "expected-placed.json", placeAsFollowed
		}
		return b.run(ctx, args[0])
	}}
}

// batch answers scenario directories.
type batch struct {
	input  inputFlags
	jobs   int
	file   string // that the answer goes to
	answer answer
}

// portion is the number of scenarios in memory at the same time.
const portion = 64

// run answers every scenario directory below dir. It continues after a failure and reports all of them at the
// end.
func (b batch) run(ctx context.Context, dir string) error {
	clusters, err := filepath.Glob(filepath.Join(dir, "*", "cluster.yaml"))
	if err != nil {
		return err
	}
	if len(clusters) == 0 {
		return fmt.Errorf("%s: no scenario directories (with a cluster.yaml) found", dir)
	}
	sort.Strings(clusters)

	var failures []error
	for some := range slices.Chunk(clusters, portion) {
		failures = append(failures, b.runPortion(ctx, some)...)
	}
	return errors.Join(append(failures, ctx.Err())...)
}

// runPortion first reads the scenarios and then answers them: the feature gates
// are the scheduler's only.
func (b batch) runPortion(ctx context.Context, clusters []string) []error {
	failures := make([]error, len(clusters)+1)
	inputs := make([]*input, len(clusters))
	b.each(ctx, clusters, func(i int) {
		inputs[i], failures[i] = read(b.files(filepath.Dir(clusters[i])))
	})
	failures[len(clusters)] = b.input.gates.during(func() error {
		b.each(ctx, clusters, func(i int) {
			if inputs[i] != nil {
				failures[i] = b.write(ctx, inputs[i])
			}
		})
		return nil
	})
	for i, err := range failures[:len(clusters)] {
		if err != nil {
			failures[i] = fmt.Errorf("%s: %w", filepath.Dir(clusters[i]), err)
		}
	}
	return failures
}

// each calls do for every scenario, several at the same time.
func (b batch) each(ctx context.Context, clusters []string, do func(i int)) {
	work := make(chan int)
	var workers sync.WaitGroup
	for range b.jobs {
		workers.Go(func() {
			for i := range work {
				do(i)
			}
		})
	}
	for i := range clusters {
		if ctx.Err() != nil {
			break
		}
		work <- i
	}
	close(work)
	workers.Wait()
}

// files names what a scenario directory holds.
func (b batch) files(dir string) fileFlags {
	files := fileFlags{
		cluster:    fileList{filepath.Join(dir, "cluster.yaml")},
		pods:       fileList{filepath.Join(dir, "pods.yaml")},
		config:     filepath.Join(dir, "config.yaml"),
		inputFlags: b.input,
	}
	if _, err := os.Stat(files.config); errors.Is(err, os.ErrNotExist) {
		files.config = ""
	}
	return files
}

// write writes the answer into the scenario's directory.
func (b batch) write(ctx context.Context, in *input) error {
	doc, err := b.answer(ctx, in)
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(in.dir(), b.file))
	if err != nil {
		return err
	}
	if err := writeJSON(f, doc); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

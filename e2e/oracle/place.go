package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"podium.dev/oracle/internal/report"
)

func placeCommand() *command {
	flags := pflag.NewFlagSet("oracle place", pflag.ContinueOnError)
	var files fileFlags
	files.register(flags)
	follow := flags.String("follow", "", "placements of another scheduler, whose nodes are taken where they are feasible, and whose victims are evicted where preemption chooses the same")
	return &command{flags: flags, rewrite: expandFileLists, run: func(ctx context.Context, args []string) error {
		if err := files.check(args); err != nil {
			return err
		}
		return printAnswer(ctx, files, func(ctx context.Context, in *input) (any, error) {
			return place(ctx, in, *follow)
		})
	}}
}

// place places all pods, one after the other.
func place(ctx context.Context, in *input, follow string) (any, error) {
	wanted, err := readPlacements(follow)
	if err != nil {
		return nil, err
	}
	e, err := in.engine(ctx)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	doc := &report.Placements{KubernetesVersion: report.KubernetesVersion, Placements: []*report.Placement{}}
	for _, pod := range in.pending {
		placed, err := e.Place(ctx, pod, wanted[pod.Namespace+"/"+pod.Name])
		if err != nil {
			return nil, err
		}
		doc.Placements = append(doc.Placements, placed)
	}
	return doc, ctx.Err()
}

// readPlacements returns the placements by pod; none without a file.
func readPlacements(file string) (map[string]report.Placement, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var doc report.Placements
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	placements := map[string]report.Placement{}
	for _, placed := range doc.Placements {
		placements[placed.Pod] = *placed
	}
	return placements, nil
}

// placeAsFollowed follows the placed.json of a scenario.
func placeAsFollowed(ctx context.Context, in *input) (any, error) {
	return place(ctx, in, filepath.Join(in.dir(), "placed.json"))
}

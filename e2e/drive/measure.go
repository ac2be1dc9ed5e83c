package main

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// usage is a process's CPU time so far, in seconds, and its peak memory in MiB, from /proc.
type usage struct {
	name      string
	cpu, peak float64
}

func usages() (all []usage) {
	for _, entry := range strings.Split(*pids, ",") {
		name, pid, ok := strings.Cut(entry, "=")
		if !ok {
			continue
		}
		u := usage{name: name}
		if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil {
			fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
			user, _ := strconv.ParseFloat(fields[11], 64)
			system, _ := strconv.ParseFloat(fields[12], 64)
			u.cpu = (user + system) / 100 // USER_HZ
		}
		if status, err := os.ReadFile("/proc/" + pid + "/status"); err == nil {
			for _, line := range strings.Split(string(status), "\n") {
				if kib, ok := strings.CutPrefix(line, "VmHWM:"); ok {
					u.peak, _ = strconv.ParseFloat(strings.Fields(kib)[0], 64)
					u.peak /= 1024
				}
			}
		}
		all = append(all, u)
	}
	return all
}

// quantiles returns those of the durations in milliseconds; 0 without durations.
func quantiles(durations []time.Duration, qs ...float64) []float64 {
	slices.Sort(durations)
	out := make([]float64, len(qs))
	for i, q := range qs {
		if len(durations) > 0 {
			out[i] = float64(durations[int(q*float64(len(durations)-1))].Microseconds()) / 1000
		}
	}
	return out
}

// addUsages adds what the processes of --pids have used since `before`, for each of `pods` pods.
func addUsages(out map[string]any, before []usage, pods int) {
	for i, after := range usages() {
		out["cpu_s_"+after.name] = after.cpu - before[i].cpu
		out["cpu_ms_per_pod_"+after.name] = (after.cpu - before[i].cpu) * 1000 / float64(max(1, pods))
		out["peak_mib_"+after.name] = after.peak
	}
}

// inParallel calls f for 0..n-1 from several workers and returns the first error.
func inParallel(n, workers int, f func(int) error) error {
	var wg sync.WaitGroup
	var once sync.Once
	var first error
	work := make(chan int)
	for range workers {
		wg.Go(func() {
			for i := range work {
				if err := f(i); err != nil {
					once.Do(func() { first = err })
				}
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	wg.Wait()
	return first
}

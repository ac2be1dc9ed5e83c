"""What the end-to-end tests, the demo and the benchmarks share: a real control plane, podium as a process, kubectl."""

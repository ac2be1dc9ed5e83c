"""Shared by the end-to-end tests, the demo and the benchmarks: a real control plane, podium as a process, kubectl."""

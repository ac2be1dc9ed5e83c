// devices allocates devices for claims with kube-scheduler's allocator, node by node.
//
//	devices --cases 1000 --seed 7     generates clusters with claims and writes them with the answers
//	devices --answer                  reads such lines from stdin and answers them again
//
// A line is one case: slices, classes, claims that are allocated, claims to allocate, nodes, the gates that are off, and in
// "want" an answer for each node: {"allocations": […]}, {"none": true}, {"invalid": true} or {"error": "…"}.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

func main() {
	cases := flag.Int("cases", 100, "clusters to generate")
	seed := flag.Int64("seed", 1, "of the first one; each has the next")
	again := flag.Bool("answer", false, "answer the lines of stdin")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	write := func(c *testCase) {
		if c.answer() {
			if err := encoder.Encode(c); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
	if *again {
		decoder := json.NewDecoder(bufio.NewReader(os.Stdin))
		for decoder.More() {
			var c testCase
			if err := decoder.Decode(&c); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			write(&c)
		}
		return
	}
	for i := range *cases {
		write(generate(*seed + int64(i)))
	}
}

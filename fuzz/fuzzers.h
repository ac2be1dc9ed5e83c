// The fuzzers: each takes one input and asserts what has to hold of it.
//
// Threads: one. Errors: see driver/require.h.
#pragma once

#include <string_view>

namespace podium::fuzz {

// A SchedulingReport with dryRun, as JSON; after a line "---" the pod or the workload that it refers to.
// From its text to the patch of its status: it is answered or refused, as the CRD allows it, within the
// bounds, and the cluster stays as it is.
void what_if(std::string_view input);

// Bytes of HTTP replies on one connection: the same replies however the bytes arrive.
void http_reply(std::string_view input);

// Lines of a watch: the same lines however they arrive; then events, objects, a snapshot with them, and
// decisions on it. Pods that leave it take their requests with them.
void watch(std::string_view input);

// Lines with a quantity, a duration, a time or a name.
void scalars(std::string_view input);

// YAML or JSON documents: what is read, printed and read again is the same.
void yaml(std::string_view input);

// A configuration file: what is loaded, shown and loaded again is the same.
void configuration(std::string_view input);

// Reports, pods and budgets, as kubectl podium prints them: a terminal obeys nothing of what others wrote.
void render_text(std::string_view input);

// Bytes of HTTP requests on one connection: the handler sees the same requests however the bytes arrive.
void request(std::string_view input);

// Replies of HTTP extenders, in the order of the requests, with a line "---" between them.
void extender_replies(std::string_view input);

// A kubeconfig file, or what an exec plugin prints.
void kubeconfig(std::string_view input);

// JSON with a labelSelector and a nodeAffinity: these select the same with the indexes and without.
void selectors(std::string_view input);

// Messages to `podium mcp`, one per line: replies are lines of JSON, and no value becomes a flag.
void agent(std::string_view input);

// Reads a quantity from each line of standard input. Prints its text, its value and its thousandths, or "-"
// where it is none. For e2e/tests/test_quantities.py.
int print_quantities();

}  // namespace podium::fuzz

// answer_requests(): the modelled API server on the standard input, for the test that compares it with the
// real one.
//
// Each input line is a request, each output line its reply, both JSON:
//   {"method", "target", "body", "type", "accept"} -> {"status", "body"}
//   {"watch": target} -> {"status", "events"}, the current ones
//   {"compact": true}: forgets the history so far
// Pods of the namespace "policed" are refused, as by an admission policy.
//
// Threads: one. Errors: at a line that is not a request, a message and exit code 1.
#pragma once

namespace podium::simulate {

int answer_requests();

}  // namespace podium::simulate

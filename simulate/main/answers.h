// answer_requests(): the modelled API server on the standard input, for the test that compares it with the
// real one.
//
// Each line is a request, each line of the output its answer, both JSON:
//   {"method", "target", "body", "type", "accept"} -> {"status", "body"}
//   {"watch": target} -> {"status", "events"}, those that are there
//   {"compact": true}: forgets the history so far
// Pods of the namespace "policed" are refused, as by an admission policy.
//
// Threads: one. Errors: the exit code 1, and a message, at a line that is no request.
#pragma once

namespace podium::simulate {

int answer_requests();

}  // namespace podium::simulate

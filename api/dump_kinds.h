// The kinds of objects that a decision may depend on, and the workloads that are asked about: what a dump of
// a cluster needs.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace podium::api {

struct DumpKind {
  std::string_view kind, group, plural;  // of version v1; the group of the core is ""
};

std::span<const DumpKind> dump_kinds();

// What makes the same dump without podium: "kubectl get nodes,pods,… -A -o yaml".
std::string dump_command();

}  // namespace podium::api

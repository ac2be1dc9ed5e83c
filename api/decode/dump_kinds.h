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
  // Not each supported API server has it. kubectl fails for such a kind, so dump_command() leaves it out.
  bool is_recent = false;
  bool is_namespaced = true;
};

std::span<const DumpKind> dump_kinds();

// Finds the kind in any of its versions. Null: another kind.
const DumpKind* dump_kind(std::string_view api_version, std::string_view kind);

// The command that makes the same dump without podium: "kubectl get nodes,pods,… -A -o yaml".
std::string dump_command();

}  // namespace podium::api

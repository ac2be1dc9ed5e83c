// `podium dump`: all objects that a decision may depend on, as `podium evaluate --cluster` reads them.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <iostream>
#include <memory>

#include "api/decode/dump_kinds.h"
#include "api/text/yaml.h"
#include "app/kubectl/live_cluster.h"
#include "app/kubectl/verbs.h"
#include "app/render/text.h"
#include "client/request_errors.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

std::string api_version(const api::DumpKind& kind) {
  return kind.group.empty() ? std::string("v1") : std::string(kind.group) + "/v1";
}

// Writes each object as a separate document, so that at most one page of objects is in memory as text.
void write_object(json::value object, const api::DumpKind& kind) {
  auto& fields = object.as_object();
  fields["apiVersion"] = api_version(kind);
  fields["kind"] = kind.kind;
  if (auto* metadata = fields.if_contains("metadata"); metadata && metadata->is_object())
    metadata->get_object().erase("managedFields");
  std::cout << "---\n" << api::to_yaml(object);
}

// The kind was listed, and the cluster has none: it changes no answer, and nothing needs a warning.
void write_none(const api::DumpKind& kind) {
  std::cout << "---\n"
            << api::to_yaml(json::object{{"apiVersion", api_version(kind)},
                                         {"kind", std::string(kind.kind) + "List"},
                                         {"items", json::array()}});
}

bool is_needed(const api::DumpKind& kind) { return kind.kind == "Node" || kind.kind == "Pod"; }

// Names and omits kinds that the user may not list or that the API server lacks: `podium evaluate` warns if
// one of them would change an answer. Nodes and pods are required.
int run_dump(const CLI::App& command, const Shared& shared) {
  if (const auto problems = problems_of(shared)) return fail_with(command, problems.error());
  auto cluster = LiveCluster::connect(shared.connection);
  if (!cluster) return fail_with(command, cluster.error());
  for (const auto& kind : api::dump_kinds()) {
    const client::Resource resource{std::string(kind.group), "v1", std::string(kind.plural)};
    (*cluster)->start_timeout();
    auto objects = (*cluster)->list(resource, "", {});
    if (!objects && is_needed(kind)) return fail_with(command, objects.error());
    if (!objects && kind.is_recent && client::is_not_found(objects.error())) continue;
    if (!objects) {
      std::cerr << fmt::format("warning: no {}: {}\n", kind.plural,
                               render::printable(objects.error().text()));
      continue;
    }
    if (objects->empty()) write_none(kind);
    for (auto& object : *objects) write_object(std::move(object), kind);
  }
  std::cout.flush();
  return std::cout ? 0 : fail_with(command, {.message = "cannot write the output"});
}

}  // namespace

std::function<int()> declare_dump(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  return [&command, shared] { return run_dump(command, *shared); };
}

}  // namespace podium::kubectl

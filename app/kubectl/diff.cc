// `podium diff A B`: the differences between two reports, from the cluster or from files.
#include "app/render/diff.h"
#include "api/text/json_view.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "api/text/yaml.h"
#include "app/kubectl/ask.h"
#include "app/kubectl/command_output.h"
#include "app/kubectl/live_cluster.h"
#include "app/kubectl/manifest.h"
#include "app/kubectl/reports.h"
#include "app/kubectl/verbs.h"
#include "base/input.h"
#include "base/problems.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

constexpr std::size_t kLargestReport = 8u << 20;  // bytes of a file; the API server takes less
constexpr auto kMissing = Error::Kind::status;    // without the code of an API server

struct DiffFlags {
  std::shared_ptr<Shared> shared;
  std::string a, b;
};

struct Named {
  std::string name;
  render::Report report;
};

bool is_file(const std::string& text) {
  return text == "-" || text.starts_with('/') || text.starts_with("./") || text.starts_with("../") ||
         text.ends_with(".yaml") || text.ends_with(".yml") || text.ends_with(".json");
}

Result<Named> named_report(const json::value& object, const std::string& name) {
  const auto kind = api::text_at(object, "/kind");
  if (kind.empty()) return invalid(name + ": not a SchedulingReport: it has no kind");
  if (kind != "SchedulingReport") return invalid(fmt::format("{}: a {}, not a SchedulingReport", name, kind));
  auto report = render::read_report(object);
  if (report.status.outcome.empty() && !explain::refusal_of(report))
    return invalid(name + ": the report has no outcome yet");
  return Named{name, std::move(report)};
}

Result<Named> from_file(const std::string& file) {
  const auto text = read_whole_input(file, kLargestReport);
  if (!text) return std::unexpected(text.error());
  api::YamlLimits limits;
  limits.lines = false;
  const auto documents = api::parse_documents(*text, file, limits);
  if (!documents) return std::unexpected(documents.error());
  if (documents->empty()) return invalid(file + ": is empty");
  if (documents->size() != 1)
    return invalid(
        fmt::format("{}: has {} documents; diff takes one report of each file", file, documents->size()));
  return named_report(documents->front().value, file);
}

// A report of this name, else the decision on the pod of this name.
Result<Named> from_cluster(LiveCluster& cluster, const std::string& text) {
  const auto slash = text.find('/');
  const auto ns = slash == std::string::npos ? cluster.ns() : text.substr(0, slash);
  const auto name = slash == std::string::npos ? text : text.substr(slash + 1);
  if (ns.empty() || name.empty() || name.find('/') != std::string::npos)
    return invalid("\"" + text + "\" is not a pod or report; give NAME, NAMESPACE/NAME or a file");
  const auto subject = ns + "/" + name;
  auto object = cluster.get(client::resource::scheduling_reports, ns, name);
  if (object) {
    object->as_object()["kind"] = "SchedulingReport";
    return named_report(*object, subject);
  }
  if (is_not_installed(object.error()) || !client::object_is_gone(object.error()))
    return std::unexpected(std::move(object.error()));
  auto found = find_report(cluster, ns, name, "");
  if (!found) return std::unexpected(std::move(found.error()));
  if (!*found) return fail(kMissing, "there is no report " + subject + ", and none of a pod of that name");
  (*found)->as_object()["kind"] = "SchedulingReport";
  return named_report(**found, subject);
}

int run_diff(const CLI::App& command, const DiffFlags& flags) {
  auto usage = problems_of(*flags.shared);
  if (flags.a == "-" && flags.b == "-")
    usage.add("-: standard input has one report; the other one needs a file");
  if (usage) return fail_with(command, usage.error());
  std::unique_ptr<LiveCluster> cluster;
  std::vector<Named> both;
  Problems problems;  // of files, or of reports that do not exist
  bool is_wrong = false;
  for (const auto& name : {flags.a, flags.b}) {
    if (!is_file(name) && !cluster) {
      auto connected = LiveCluster::connect(flags.shared->connection);
      if (!connected) return fail_with(command, connected.error());
      cluster = std::move(*connected);
    }
    auto report = is_file(name) ? from_file(name) : from_cluster(*cluster, name);
    const bool is_missing = !report && report.error().kind == kMissing && report.error().status.code == 0;
    const bool is_invalid = !report && report.error().kind == Error::Kind::invalid;
    is_wrong |= is_invalid;
    if (!report && !is_missing && !is_invalid) return fail_with(command, report.error());
    if (auto read = problems.value_of(std::move(report))) both.push_back(std::move(*read));
  }
  if (problems) {
    auto error = problems.error();
    if (!is_wrong) error.kind = kMissing;
    return fail_with(command, error);
  }
  const auto& [name_a, a] = both[0];
  const auto& [name_b, b] = both[1];
  const auto& output = flags.shared->output;
  return print(answered(command, output, render::diff_document(a, b, name_a, name_b), {name_a, name_b}, [&] {
    return render::diff(a, b, name_a, name_b, render_options(output, program_of(command)));
  }));
}

}  // namespace

std::function<int()> declare_diff(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  const auto flags = std::make_shared<DiffFlags>();
  flags->shared = shared;
  command.add_option("A", flags->a, "a pod or report, NAME or NAMESPACE/NAME, or a file that has one")
      ->required();
  command.add_option("B", flags->b, "another one")->required();
  return [&command, flags] { return run_diff(command, *flags); };
}

}  // namespace podium::kubectl

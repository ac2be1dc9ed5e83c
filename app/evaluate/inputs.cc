#include "app/evaluate/inputs.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "app/evaluate/asked.h"
#include "base/input.h"
#include "base/problems.h"

namespace podium::evaluate {
namespace {

using api::Manifests;
using Pods = Manifests::List<api::Pod>;
using Texts = std::vector<api::ManifestText>;

Texts read_files(const std::vector<std::string>& files, Problems& problems) {
  Texts texts;
  for (const auto& file : files) {
    if (auto text = problems.value_of(read_input(file))) texts.push_back({file, std::move(*text)});
  }
  return texts;
}

Result<config::Config> load_config(const Inputs& inputs) {
  const auto gates = config::parse_feature_gates(inputs.feature_gates);
  if (!gates) return std::unexpected(gates.error());
  const config::LoadOptions options{*gates, inputs.plugins};
  return inputs.config.empty() ? config::load("", "", options) : config::load_file(inputs.config, options);
}

// What --pod asks for.
struct Arguments {
  std::vector<std::string> names, files;
};

// "namespace/name", where no file has that path, is a pod of the cluster.
Arguments arguments_of(const std::vector<std::string>& pods) {
  Arguments out;
  for (const auto& argument : pods) {
    const auto slash = argument.find('/');
    const bool may_be_name = slash != 0 && slash + 1 < argument.size() && slash == argument.rfind('/');
    std::error_code error;
    const bool is_name =
        slash != std::string::npos && may_be_name && !std::filesystem::exists(argument, error);
    (is_name ? out.names : out.files).push_back(argument);
  }
  return out;
}

// The pod as if it were not placed.
api::PodPtr unplaced(const api::PodPtr& pod) {
  if (pod->node_name.empty()) return pod;
  auto copy = std::make_shared<api::Pod>(*pod);
  copy->node_name.clear();
  copy->nominated_node.clear();
  return copy;
}

// An object of a document that was converted is a text of its own, whose source has the place already.
Error with_one_place(Error error, const Texts& texts) {
  constexpr std::string_view kAlone = ": document 1 (line 1)";
  auto& message = error.message;
  for (const auto& text : texts) {
    const bool converted = text.source.ends_with(')') && text.source.find(": document ") != std::string::npos;
    if (!converted) continue;
    const auto twice = text.source + std::string(kAlone);
    for (auto at = message.find(twice); at != std::string::npos; at = message.find(twice, at))
      message.erase(at + text.source.size(), kAlone.size());
  }
  return error;
}

template <typename T>
Result<T> with_one_place(Result<T> result, const Texts& texts) {
  if (!result) return std::unexpected(with_one_place(std::move(result.error()), texts));
  return result;
}

// What the files of --pod have.
struct Asked {
  Pods pods;
  Manifests others;
  std::vector<std::string> references;
};

Asked read_pod_files(const Inputs& inputs, const Texts& texts, bool replicas, Problems& problems,
                     std::vector<std::string>& warnings) {
  auto asked = read_asked(texts, replicas, problems);
  warnings.insert(warnings.end(), asked.warnings.begin(), asked.warnings.end());
  Asked out{.pods = {}, .others = {}, .references = std::move(asked.references)};
  const api::ManifestOptions options{inputs.allow_unknown_fields};
  auto others = api::read_manifests(asked.others, options, warnings);
  if (auto read = problems.value_of(with_one_place(std::move(others), asked.others)))
    out.others = std::move(*read);
  auto pods = api::read_pods(asked.pods, options);
  if (auto read = problems.value_of(with_one_place(std::move(pods), asked.pods))) out.pods = std::move(*read);
  // A pod from a cluster has been created. One that was not may name its node: it goes there.
  for (auto& pod : out.pods) {
    if (pod->meta.created) pod = unplaced(pod);
  }
  return out;
}

// The pods to evaluate, which the cluster loses. A pod of a file takes the place of the cluster's.
Pods select_pods(const Arguments& arguments, Asked asked, Manifests& cluster, Problems& problems) {
  std::map<std::string, api::PodPtr> by_name;
  for (const auto& pod : cluster.pods) by_name[pod->full_name()] = pod;
  Pods selected;
  const auto select = [&](const std::string& name, const std::string& or_else) {
    const auto pod = by_name.find(name);
    if (pod == by_name.end()) return problems.add(or_else);
    selected.push_back(unplaced(pod->second));
  };
  for (const auto& name : arguments.names)
    select(name, fmt::format("--pod {}: no such pod in --cluster, and no such file", name));
  selected.insert(selected.end(), asked.pods.begin(), asked.pods.end());
  for (const auto& name : asked.references)
    select(name, fmt::format("spec.podRef: no pod {} in --cluster", name));

  std::set<std::string> names;
  for (const auto& pod : selected) {
    const auto name = pod->full_name();
    if (!names.insert(name).second) problems.add(fmt::format("pod {} is to be evaluated twice", name));
  }
  std::erase_if(cluster.pods, [&](const api::PodPtr& pod) { return names.contains(pod->full_name()); });
  return selected;
}

}  // namespace

Result<Contents> read_inputs(const Inputs& inputs, bool replicas) {
  Contents out;
  Problems problems;
  if (auto config = problems.value_of(load_config(inputs))) out.config = std::move(*config);
  const auto arguments = arguments_of(inputs.pods);
  std::vector<std::string> named{inputs.config};
  named.insert(named.end(), inputs.cluster.begin(), inputs.cluster.end());
  named.insert(named.end(), arguments.files.begin(), arguments.files.end());
  if (std::ranges::count(named, "-") > 1) problems.add("-: standard input can be read only once");
  const auto cluster_texts = read_files(inputs.cluster, problems);
  const auto pod_texts = read_files(arguments.files, problems);
  if (problems) return std::unexpected(problems.error());
  out.warnings = out.config.warnings;
  for (const auto& extender : out.config.extenders) {
    out.warnings.push_back(
        fmt::format("extender {} is not called: podium evaluate works offline", extender.url_prefix));
  }

  auto cluster = api::read_manifests(cluster_texts, {inputs.allow_unknown_fields}, out.warnings);
  if (auto read = problems.value_of(std::move(cluster))) out.cluster = std::move(*read);
  auto asked = read_pod_files(inputs, pod_texts, replicas, problems, out.warnings);
  if (problems) return std::unexpected(problems.error());

  auto others = std::move(asked.others);
  out.pods = select_pods(arguments, std::move(asked), out.cluster, problems);
  if (problems) return std::unexpected(problems.error());
  merge_into(out.cluster, std::move(others));
  return out;
}

}  // namespace podium::evaluate

#include "app/kubectl/targets.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/text/json_view.h"
#include "api/validate/selector_text.h"
#include "api/validate/validate.h"
#include "app/render/text.h"
#include "base/problems.h"
#include "base/similar.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

const api::PodMaker& pods() { return *api::pod_maker_named("pod"); }

// "deployment.v1.apps" is "deployment.apps" to those who write the version.
const api::PodMaker* maker_named(std::string_view word) {
  if (const auto* maker = api::pod_maker_named(word)) return maker;
  const auto dot = word.find('.');
  const auto second = dot == word.npos ? word.npos : word.find('.', dot + 1);
  if (second == word.npos) return nullptr;
  return api::pod_maker_named(std::string(word.substr(0, dot)) + std::string(word.substr(second)));
}

std::string known_types() {
  std::string out;
  for (const auto& each : api::pod_makers()) out += (out.empty() ? "" : ", ") + std::string(each.plural);
  return out;
}

// A type that makes no pods. Types with a group have dots, which no namespace has.
bool is_other_type(const std::string& word) {
  constexpr std::string_view kTypes[] = {
      "svc",     "service", "no",        "node",   "cm", "configmap",      "pvc",
      "pv",      "ns",      "namespace", "secret", "sa", "serviceaccount", "ing",
      "ingress", "hpa",     "pdb",       "sc",     "ep", "event"};
  const auto one = word.size() > 2 && word.ends_with('s') ? word.substr(0, word.size() - 1) : word;
  return word.find('.') != word.npos || std::ranges::find(kTypes, word) != std::end(kTypes) ||
         std::ranges::find(kTypes, one) != std::end(kTypes);
}

Error not_a_type(std::string_view word) {
  const bool is_node = word == "no" || word.starts_with("node");
  return invalid(fmt::format("\"{}\" is not a type that makes pods: {}{}", word, known_types(),
                             is_node ? "; for a node use drain" : ""))
      .error();
}

// "Running" of a row that kubectl printed, "web.yaml" without -f.
Result<Target> checked_target(Target target, const std::string& word) {
  for (const auto* suffix : {".yaml", ".yml", ".json"}) {
    if (word == "-" || target.name.ends_with(suffix))
      return invalid(fmt::format(
          "\"{}\" is a file and not the name of a pod; whatif and capacity read it with -f", word));
  }
  for (const auto& name : {target.name, target.ns}) {
    if (!name.empty() && !api::is_dns_subdomain(name))
      return invalid(
          fmt::format("\"{}\" is not a name: names have lower case letters, digits, '-' and '.'", name));
  }
  return target;
}

Result<Target> parse_word(const std::string& word) {
  const auto slash = word.find('/');
  if (word.empty()) return invalid("the name is empty");
  if (slash == word.npos) return checked_target({&pods(), word}, word);
  const auto first = word.substr(0, slash), name = word.substr(slash + 1);
  if (first.empty() || name.empty() || name.find('/') != name.npos)
    return invalid(fmt::format("\"{}\" is not a pod; write POD, TYPE/NAME or NAMESPACE/POD", word));
  if (const auto* maker = maker_named(first)) return checked_target({maker, name, {}, true}, word);
  if (is_other_type(first)) return std::unexpected(not_a_type(first));
  return checked_target({&pods(), name, first}, word);
}

bool is_like(std::string_view name, std::string_view typed) {
  return name.starts_with(typed) || typed.starts_with(name) || is_typo(typed, name);
}

// "deploy/web"
std::string with_type(const api::PodMaker& maker, const std::string& name) {
  return fmt::format("{}/{}", maker.short_name.empty() ? maker.plural : maker.short_name, name);
}

}  // namespace

client::Resource resource_of(const api::PodMaker& maker) {
  return {std::string(maker.group), std::string(maker.version), std::string(maker.plural)};
}

Result<std::vector<Target>> parse_targets(const std::vector<std::string>& words, const std::string& ns) {
  std::vector<Target> out;
  const auto* type =
      words.size() > 1 && words.front().find('/') == std::string::npos ? maker_named(words.front()) : nullptr;
  // As in kubectl, the first word of several is a type.
  if (!type && words.size() > 1 && is_other_type(words.front()) &&
      words.front().find_first_of("./") == std::string::npos)
    return std::unexpected(not_a_type(words.front()));
  Problems problems;
  for (const auto& word : std::vector(words.begin() + (type ? 1 : 0), words.end())) {
    if (type && word.find('/') != word.npos) {
      problems.add(fmt::format("\"{}\" after the type {}: give only its name", word, words.front()));
      continue;
    }
    auto target = problems.value_of(type ? checked_target({type, word, {}, true}, word) : parse_word(word));
    if (!target) continue;
    if (!ns.empty() && !target->ns.empty() && ns != target->ns)
      problems.add(fmt::format("\"{}\" names another namespace than -n {}", word, ns));
    out.push_back(std::move(*target));
  }
  if (problems) return std::unexpected(problems.error());
  return out;
}

Result<PodPrefix> parse_pod_prefix(const std::string& word, const std::string& ns) {
  const auto slash = word.find('/');
  if (slash == word.npos) return PodPrefix{word};
  PodPrefix out{word.substr(slash + 1), word.substr(0, slash)};
  const auto* maker = maker_named(out.ns);
  if (out.ns.empty() || out.name.find('/') != out.name.npos || (maker && maker != &pods()))
    return invalid(fmt::format("\"{}\" is not a pod; write POD or NAMESPACE/POD", word));
  if (maker) return PodPrefix{out.name};
  if (!ns.empty() && ns != out.ns)
    return invalid(fmt::format("\"{}\" names another namespace than -n {}", word, ns));
  return out;
}

Target resolved(Cluster& cluster, Target target) {
  if (target.ns.empty()) target.ns = cluster.ns();
  if (target.has_type) return target;
  const auto pod = cluster.get(client::resource::pods, target.ns, target.name);
  if (pod || !client::object_is_gone(pod.error())) return target;
  const api::PodMaker* found = nullptr;
  for (const auto& maker : api::pod_makers()) {
    if (&maker == target.maker) continue;
    const auto object = cluster.get(resource_of(maker), target.ns, target.name);
    if (!object && !client::is_answer(object.error())) return target;  // such as after a timeout
    if (!object) continue;
    if (found) return target;  // ambiguous: the user has to name one
    found = &maker;
  }
  if (found) target.maker = found;
  return target;
}

std::string no_namespace(Cluster& cluster, const std::string& ns) {
  const auto there = cluster.get(client::resource::namespaces, "", ns);
  if (there || !client::object_is_gone(there.error())) return {};
  auto out = fmt::format("There is no namespace {}.", render::printable(ns));
  client::ListOptions names_only;
  names_only.metadata_only = true;
  const auto all = cluster.list(client::resource::namespaces, "", names_only);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const auto& object : all ? *all : std::vector<json::value>()) {
    auto name = render::printable(api::text_at(object, "/metadata/name"));
    if (is_like(name, ns)) near.emplace_back(distance(name, ns), std::move(name));
  }
  std::ranges::sort(near);
  std::vector<std::string> names;
  for (auto& each : near) names.push_back(std::move(each.second));
  return out + (names.empty() ? "\n" : fmt::format(" {}\n", suggestion(names)));
}

std::string did_you_mean(Cluster& cluster, const std::string& ns, const Target& target) {
  return similar_names(cluster, ns, target).words;
}

Similar similar_names(Cluster& cluster, const std::string& ns, const Target& target) {
  const auto there = cluster.get(client::resource::namespaces, "", ns);
  if (!there && client::object_is_gone(there.error())) return {no_namespace(cluster, ns), true};
  if (!there && !client::is_answer(there.error())) return {};
  client::ListOptions names_only;
  names_only.metadata_only = true;
  using Near = std::vector<std::pair<std::size_t, std::string>>;
  Near near, elsewhere;  // of the type that the user named, or of any; of other types
  bool is_mistyped = false;
  for (const auto& maker : api::pod_makers()) {
    const auto listed = cluster.list(resource_of(maker), ns, names_only);
    if (!listed && !client::is_answer(listed.error())) break;
    if (!listed) continue;
    const bool is_asked = !target.has_type || &maker == target.maker;
    for (const auto& object : *listed) {
      const auto found = render::printable(api::text_at(object, "/metadata/name"));
      if (is_asked ? !is_like(found, target.name) : found != target.name) continue;
      const bool is_bare = maker.kind == "Pod" && is_asked;
      is_mistyped |= is_bare;
      (is_asked ? near : elsewhere)
          .emplace_back(distance(found, target.name), is_bare ? found : with_type(maker, found));
    }
  }
  if (near.empty()) near = std::move(elsewhere);
  if (const auto* type = target.has_type ? nullptr : maker_named(target.name); type && near.empty())
    return {fmt::format("{0} is a type: give {0}/NAME.\n", target.name), true};
  if (near.empty()) return {};
  std::ranges::sort(near);
  std::vector<std::string> names;
  for (auto& each : near) names.push_back(std::move(each.second));
  return {suggestion(names) + "\n", is_mistyped};
}

Error without_object(Error error, const std::string& ns, const Target& target) {
  if (!client::object_is_gone(error)) return error;
  const auto kind = target.maker == &pods() ? std::string_view("pod") : target.maker->kind;
  return {.message = fmt::format("there is no {} {}/{}", kind, ns, target.name)};
}

Result<void> check_selector(const std::string& selector) {
  const auto parsed = api::parse_selector(selector);
  if (!parsed) return invalid("-l: " + parsed.error().message);
  return {};
}

}  // namespace podium::kubectl

#include "scheduler/extender/wire.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>

#include "base/ascii.h"
#include "base/utf8.h"

namespace podium::extender {
namespace json = boost::json;
namespace {

std::unexpected<Error> malformed(std::string_view path, std::string_view why) {
  return fail(Error::Kind::internal, path.empty() ? std::string(why) : fmt::format("{}: {}", path, why));
}

Result<json::value> parse(std::string_view text) {
  json::stream_parser parser;
  boost::system::error_code error;
  parser.write_some(text.data(), text.size(), error);
  if (!error && !parser.done()) parser.finish(error);
  if (error) return malformed("", "the reply is not JSON: " + error.message());
  return parser.release();
}

// The last member with this name, ignoring case; null if it is absent or JSON null.
const json::value* member(const json::value& value, std::string_view name) {
  const json::value* found = nullptr;
  if (!value.is_object()) return nullptr;
  for (const auto& [key, each] : value.get_object()) {
    if (equal_fold(key, name)) found = &each;
  }
  return found && found->is_null() ? nullptr : found;
}

Result<std::string> text_member(const json::value& object, std::string_view name) {
  const auto* value = member(object, name);
  if (!value) return std::string();
  if (!value->is_string()) return malformed(name, "expected a string");
  return std::string(value->get_string());
}

// The extender's "Error", cut when it is read.
Result<std::string> error_member(const json::value& object) {
  const auto* value = member(object, "Error");
  if (!value) return std::string();
  if (!value->is_string()) return malformed("Error", "expected a string");
  return readable(value->get_string());
}

Result<framework::FilterOpinion::Reasons> reasons_member(const json::value& object, std::string_view name) {
  framework::FilterOpinion::Reasons out;
  const auto* value = member(object, name);
  if (!value) return out;
  if (!value->is_object()) return malformed(name, "expected an object");
  for (const auto& [node, reason] : value->get_object()) {
    if (!reason.is_string() && !reason.is_null()) return malformed(name, "expected strings");
    out.emplace_back(std::string(node), reason.is_null() ? std::string() : readable(reason.get_string()));
  }
  std::ranges::sort(out);
  return out;
}

Result<std::optional<std::vector<std::string>>> names_member(const json::value& object) {
  const auto* value = member(object, "NodeNames");
  if (!value) return std::nullopt;
  if (!value->is_array()) return malformed("NodeNames", "expected a list");
  std::vector<std::string> names;
  for (const auto& name : value->get_array()) {
    if (!name.is_string()) return malformed("NodeNames", "expected strings");
    names.emplace_back(name.get_string());
  }
  return names;
}

Result<std::optional<std::vector<std::string>>> nodes_member(const json::value& object) {
  const auto* value = member(object, "Nodes");
  if (!value) return std::nullopt;
  if (!value->is_object()) return malformed("Nodes", "expected an object");
  std::vector<std::string> names;
  const auto* items = member(*value, "items");
  if (!items) return names;
  if (!items->is_array()) return malformed("Nodes.items", "expected a list");
  for (const auto& item : items->get_array()) {
    const auto* meta = member(item, "metadata");
    auto name = text_member(meta ? *meta : json::value(), "name");
    if (!name) return malformed("Nodes.items.metadata.name", "expected a string");
    names.push_back(std::move(*name));
  }
  return names;
}

constexpr std::string_view kMetaVictims = "NodeNameToMetaVictims";

Result<Victims> read_victims(std::string node, const json::value& value) {
  Victims out{.node = std::move(node)};
  if (!value.is_object() && !value.is_null()) return malformed(kMetaVictims, "expected objects");
  if (const auto* violations = member(value, "NumPDBViolations")) {
    if (!violations->is_int64()) return malformed("NumPDBViolations", "expected a whole number");
    out.budget_violations = violations->get_int64();
  }
  const auto* pods = member(value, "Pods");
  if (!pods) return out;
  if (!pods->is_array()) return malformed("Pods", "expected a list");
  for (const auto& pod : pods->get_array()) {
    if (!pod.is_object() && !pod.is_null()) return malformed("Pods", "expected objects");
    auto uid = text_member(pod, "UID");
    if (!uid) return std::unexpected(uid.error());
    out.uids.push_back(std::move(*uid));
  }
  return out;
}

// Parses an object or null. Go decodes null to the zero value.
Result<json::value> parse_object(std::string_view text) {
  auto value = parse(text);
  if (value && !value->is_object() && !value->is_null()) return malformed("", "the reply is not an object");
  return value;
}

}  // namespace

std::string readable(std::string_view text) {
  constexpr std::size_t kMostBytes = 1024;
  if (text.size() <= kMostBytes) return std::string(text);
  return fmt::format("{}… ({} bytes)", whole_characters(text, kMostBytes), text.size());
}

std::string args_with_names(std::string_view pod, const std::vector<std::string>& names) {
  std::string out = fmt::format(R"({{"Pod":{},"Nodes":null,"NodeNames":[)", pod);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += ',';
    out += json::serialize(json::string(names[i]));
  }
  return out += "]}";
}

std::string args_with_nodes(std::string_view pod, const std::vector<Text>& nodes) {
  std::size_t size = pod.size() + 64;
  for (const auto& node : nodes) size += node->size() + 1;
  std::string out;
  out.reserve(size);
  out.append(R"({"Pod":)").append(pod).append(R"(,"Nodes":{"metadata":{},"items":[)");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) out += ',';
    out += *nodes[i];
  }
  return out += R"(]},"NodeNames":null})";
}

namespace {

// {"NODE":{"Pods":[POD,…],"NumPDBViolations":N},…}
template <typename PodsOf>
std::string by_node(const std::vector<Victims>& all, PodsOf pods_of) {
  std::string out = "{";
  for (const auto& victims : all) {
    if (out.size() > 1) out += ',';
    out += fmt::format(R"({}:{{"Pods":[{}],"NumPDBViolations":{}}})",
                       json::serialize(json::string(victims.node)), fmt::join(pods_of(victims), ","),
                       victims.budget_violations);
  }
  return out += '}';
}

}  // namespace

std::string args_with_victim_uids(std::string_view pod, const std::vector<Victims>& victims) {
  const auto pods = [](const Victims& of) {
    std::vector<std::string> out;
    for (const auto& uid : of.uids) out.push_back(json::serialize(json::object{{"UID", uid}}));
    return out;
  };
  return fmt::format(R"({{"Pod":{},"NodeNameToVictims":null,"NodeNameToMetaVictims":{}}})", pod,
                     by_node(victims, pods));
}

std::string args_with_victims(std::string_view pod, const std::vector<Victims>& victims) {
  const auto pods = [](const Victims& of) {
    std::vector<std::string_view> out;
    for (const auto& text : of.pods) out.push_back(*text);
    return out;
  };
  return fmt::format(R"({{"Pod":{},"NodeNameToVictims":{},"NodeNameToMetaVictims":null}})", pod,
                     by_node(victims, pods));
}

std::string binding_args(const BindingArgs& args) {
  return json::serialize(json::object{{"PodName", args.pod_name},
                                      {"PodNamespace", args.pod_namespace},
                                      {"PodUID", args.pod_uid},
                                      {"Node", args.node}});
}

Result<FilterReply> read_filter_reply(std::string_view text) {
  const auto value = parse_object(text);
  if (!value) return std::unexpected(value.error());
  FilterReply out;
  auto names = names_member(*value);
  if (!names) return std::unexpected(names.error());
  auto nodes = nodes_member(*value);
  if (!nodes) return std::unexpected(nodes.error());
  auto failed = reasons_member(*value, "FailedNodes");
  if (!failed) return std::unexpected(failed.error());
  auto unresolvable = reasons_member(*value, "FailedAndUnresolvableNodes");
  if (!unresolvable) return std::unexpected(unresolvable.error());
  auto error = error_member(*value);
  if (!error) return std::unexpected(error.error());
  return FilterReply{std::move(*names), std::move(*nodes), std::move(*failed), std::move(*unresolvable),
                     std::move(*error)};
}

Result<std::vector<std::pair<std::string, std::int64_t>>> read_priorities(std::string_view text) {
  const auto value = parse(text);
  if (!value) return std::unexpected(value.error());
  std::vector<std::pair<std::string, std::int64_t>> out;
  if (value->is_null()) return out;
  if (!value->is_array()) return malformed("", "the reply is not a list");
  for (const auto& each : value->get_array()) {
    if (!each.is_object() && !each.is_null()) return malformed("", "the reply is not a list of objects");
    auto host = text_member(each, "Host");
    if (!host) return std::unexpected(host.error());
    const auto* score = member(each, "Score");
    if (score && !score->is_int64()) return malformed("Score", "expected a whole number");
    out.emplace_back(std::move(*host), score ? score->get_int64() : 0);
  }
  return out;
}

Result<std::vector<Victims>> read_preemption_reply(std::string_view text) {
  const auto value = parse_object(text);
  if (!value) return std::unexpected(value.error());
  std::vector<Victims> out;
  const auto* nodes = member(*value, kMetaVictims);
  if (!nodes) return out;
  if (!nodes->is_object()) return malformed(kMetaVictims, "expected an object");
  for (const auto& [node, each] : nodes->get_object()) {
    auto victims = read_victims(std::string(node), each);
    if (!victims) return std::unexpected(victims.error());
    out.push_back(std::move(*victims));
  }
  std::ranges::sort(out, {}, &Victims::node);
  return out;
}

Result<std::string> read_binding_reply(std::string_view text) {
  const auto value = parse_object(text);
  if (!value) return std::unexpected(value.error());
  return error_member(*value);
}

}  // namespace podium::extender

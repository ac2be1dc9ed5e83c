#include "app/report_api/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <optional>

#include "api/values/decimal.h"
#include "base/ascii.h"
#include "explain/question/question_limits.h"
#include "server/query.h"

namespace podium::app::report_api {

namespace json = boost::json;

namespace {

constexpr std::size_t kLongestText = 4096;

// Replies repeat texts, so only printable ASCII is accepted.
bool is_plain(std::string_view text, char least) {
  return !text.empty() && text.size() <= kLongestText &&
         std::ranges::all_of(text, [least](char c) { return c >= least && c < 0x7f; });
}

Result<json::value> read_weight(const Parameter& parameter, std::string_view item) {
  const auto equals = item.find('=');
  const auto weight = equals == item.npos ? std::nullopt : api::whole_number(item.substr(equals + 1));
  if (!weight) return invalid(fmt::format("{}: {:?} must be NAME=WEIGHT", parameter.name, item));
  return json::value{{"name", std::string(item.substr(0, equals))}, {"weight", *weight}};
}

Result<json::value> read_list(const Parameter& parameter, std::string_view text) {
  json::array out;
  for (const auto item : split(text, ",")) {
    if (parameter.type == Parameter::Type::texts) {
      out.emplace_back(json::string(item));
    } else {
      auto weight = read_weight(parameter, item);
      if (!weight) return weight;
      out.push_back(std::move(*weight));
    }
  }
  return json::value(std::move(out));
}

Result<json::value> read_value(const Parameter& parameter, const std::string& text) {
  if (parameter.type == Parameter::Type::integer) {
    const auto number = api::whole_number(text);
    if (number && *number >= parameter.least && *number <= parameter.most) return json::value(*number);
    return invalid(fmt::format("{}: must be an integer between {} and {}", parameter.name, parameter.least,
                               parameter.most));
  }
  if (parameter.type == Parameter::Type::flag) {
    if (text == "true" || text == "false") return json::value(text == "true");
    return invalid(fmt::format("{}: must be true or false", parameter.name));
  }
  const bool is_line = parameter.type == Parameter::Type::line;
  if (!is_plain(text, is_line ? ' ' : '!')) {
    return invalid(fmt::format("{}: must be 1 to {} printable characters", parameter.name, kLongestText));
  }
  if (is_line || parameter.type == Parameter::Type::text) return json::value(json::string(text));
  return read_list(parameter, text);
}

std::string names_of(const std::vector<Parameter>& parameters) {
  std::string out;
  for (const auto& one : parameters) out += (out.empty() ? "" : ", ") + std::string(one.name);
  return out.empty() ? "none" : out;
}

}  // namespace

const std::vector<Route>& routes() {
  const auto of_pod = [](const char* form) {
    return server::PathPattern(fmt::format("/v1/namespaces/{{namespace}}/pods/{{pod}}/{}", form));
  };
  const auto what_if = [](const char* form) {
    return server::PathPattern(fmt::format("/v1/namespaces/{{namespace}}/whatif/{}", form));
  };
  static const std::vector<Route> all{
      {of_pod("scores"), Form::scores, false, "The ten best nodes of the last decision on a pod"},
      {of_pod("strategies"), Form::strategies, false,
       "The five best nodes of each scoring strategy in the last decision on a pod"},
      {of_pod("report"), Form::report, false, "The last decision on a pod, as a SchedulingReport"},
      {what_if("scores"), Form::scores, true, "The ten best nodes for a pod that does not exist"},
      {what_if("strategies"), Form::strategies, true,
       "The five best nodes of each scoring strategy for a pod that does not exist"},
      {what_if("report"), Form::report, true, "The whole answer to a what-if, as a SchedulingReport"},
      {server::PathPattern("/v1/namespaces/{namespace}/decisions"), Form::decisions, false,
       "The last decisions on the pods of a namespace"},
      {server::PathPattern("/v1/decisions"), Form::decisions, false,
       "The last decisions on the pods of all namespaces"},
      {server::PathPattern("/v1/namespaces/{namespace}/changes"), Form::changes, false,
       "Waits for a change of the decisions of a namespace, and returns their version"},
      {server::PathPattern("/v1/changes"), Form::changes, false,
       "Waits for a change of the decisions of all namespaces, and returns their version"},
      {server::PathPattern("/v1/nodes"), Form::nodes, false,
       "The nodes and their zones, with allocatable and requested amounts"},
      {server::PathPattern("/v1/access"), Form::access, false,
       "Who the user is, and whether they may list the nodes and the decisions of all namespaces"},
  };
  return all;
}

namespace {

constexpr Parameter kWordsParameter{kWords, Parameter::Type::flag, 0, 0,
                                    "true: adds the plain words of the reasons, as the page shows them"};

}  // namespace

const std::vector<Parameter>& question_parameters() {
  using enum Parameter::Type;
  static const std::vector<Parameter> all{
      {"replicas", integer, 1, explain::kMostReplicas,
       "the number of these pods to place, one after the other; default: a workload's own replicas"},
      {"minCount", integer, 1, explain::kMostReplicas, "the number of replicas that must fit together"},
      {"topologyKey", text, 0, 0, "the node label that must have one value on all nodes of the group"},
      {"nodes", texts, 0, 0, "nodes whose verdicts are included regardless of their rank: a,b"},
      {"strategies", weights, 0, 0,
       "weights of scoring strategies, in place of the profile's: NodeResourcesFit=5,ImageLocality=0"},
      {"fixes", flag, 0, 0, "true: looks for changes that would let more replicas fit"},
      {"room", flag, 0, 0, "true: if all fit, counts how many more do, up to 10,000 in all"},
      {"profile", text, 0, 0, "the profile (schedulerName) that decides; default: the pod's own"},
      {kSeed, text, 0, 0, "seed of the draw among nodes with equal scores; equal seeds give equal draws"},
      {kAllNamespaces, flag, 0, 0,
       "true: a drain, and the searches couldGo, forPending and compareWeights, name pods, workloads and "
       "budgets of all namespaces in which the user may list pods and create schedulingreports"},
      kWordsParameter,
  };
  return all;
}

const std::vector<Parameter>& list_parameters() {
  using enum Parameter::Type;
  static const std::vector<Parameter> all{
      {"limit", integer, 1, kLongestPage, "the maximum number of decisions of a page; default: 100"},
      {"continue", text, 0, 0, "metadata.continue of the previous page"},
      {"waiting", flag, 0, 0, "true: only pods that still wait for a node"},
      {"newest", flag, 0, 0, "true: the newest decisions, the last one first, in one page"},
      kWordsParameter,
  };
  return all;
}

const std::vector<Parameter>& node_parameters() {
  static const std::vector<Parameter> all{
      {"zonesOnly", Parameter::Type::flag, 0, 0, "true: omits the individual nodes"},
      {"selector", Parameter::Type::line, 0, 0,
       "lists only the nodes with these labels, as kubectl's -l: pool=big,zone in (a, b)"},
  };
  return all;
}

const std::vector<Parameter>& access_parameters() {
  static const std::vector<Parameter> all{
      {"namespace", Parameter::Type::text, 0, 0,
       "adds mayAskAboutPods: whether the user may ask what-ifs about the pods of this namespace"},
  };
  return all;
}

const std::vector<Parameter>& parameters_of(const Route& route) {
  static const std::vector<Parameter> none;
  static const std::vector<Parameter> of_changes{
      {"since", Parameter::Type::text, 0, 0,
       "a version: waits until it changes, 25 seconds at most; without it, returns immediately"},
  };
  static const std::vector<Parameter> of_report{kWordsParameter};
  if (route.form == Form::changes) return of_changes;
  if (route.form == Form::access) return access_parameters();
  if (route.form == Form::report && !route.is_question) return of_report;
  if (route.is_question) return question_parameters();
  if (route.form == Form::nodes) return node_parameters();
  return route.is_list() ? list_parameters() : none;
}

Result<json::object> read_parameters(std::string_view query, const std::vector<Parameter>& known) {
  json::object out;
  const auto given = server::read_query(query);
  if (!given) return std::unexpected(given.error());
  for (const auto& [name, text] : *given) {
    const auto parameter = std::ranges::find(known, name, &Parameter::name);
    if (parameter == known.end())
      return invalid(fmt::format("unknown query parameter {:?} (known: {})", name, names_of(known)));
    if (out.contains(name)) return invalid(fmt::format("{}: given twice", name));
    auto value = read_value(*parameter, text);
    if (!value) return std::unexpected(value.error());
    out[name] = std::move(*value);
  }
  return out;
}

}  // namespace podium::app::report_api

#include "app/kubectl/question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json/array.hpp>
#include <charconv>

#include "app/render/why.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

// If the client is killed before it deletes its question, podium deletes it after this time.
constexpr int kTtlSeconds = 300;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t start = 0; start <= text.size();) {
    const auto end = std::min(text.find(',', start), text.size());
    if (end > start) out.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return out;
}

Result<json::array> strategies(const std::vector<std::string>& flags) {
  json::array out;
  for (const auto& flag : flags) {
    for (const auto& pair : split(flag)) {
      const auto equals = pair.find('=');
      const auto number = equals == std::string::npos ? std::string() : pair.substr(equals + 1);
      int weight = -1;
      const auto* end = number.data() + number.size();
      const auto [stop, error] = std::from_chars(number.data(), end, weight);
      if (equals == 0 || number.empty() || error != std::errc() || stop != end || weight < 0) {
        return invalid(
            fmt::format("--weights: \"{}\" is not STRATEGY=WEIGHT, such as NodeResourcesFit=5; a weight of 0 "
                        "switches the strategy off",
                        pair));
      }
      out.push_back(json::object{{"name", pair.substr(0, equals)}, {"weight", weight}});
    }
  }
  return out;
}

json::array changes(const QuestionFlags& flags) {
  json::array out;
  if (flags.add_nodes > 0) {
    out.push_back(json::object{{"type", "AddNodes"}, {"count", flags.add_nodes}, {"like", flags.like}});
  }
  for (const auto& names : flags.drain) {
    for (const auto& node : split(names))
      out.push_back(json::object{{"type", "DrainNode"}, {"nodeName", node}});
  }
  return out;
}

}  // namespace

Result<json::object> question_spec(const QuestionFlags& flags) {
  if (flags.replicas < 0 || flags.replicas > kMaxReplicas) {
    return invalid(fmt::format("--replicas: must be 1 to {}", kMaxReplicas));
  }
  if (flags.add_nodes < 0) return invalid("--add-nodes: must be at least 1");
  if (flags.add_nodes > 0 && flags.like.empty()) {
    return invalid("--add-nodes: needs --like NODE, the node that the new ones are copies of");
  }
  if (flags.add_nodes == 0 && !flags.like.empty()) return invalid("--like: needs --add-nodes N");
  auto weights = strategies(flags.weights);
  if (!weights) return std::unexpected(weights.error());
  json::object spec{{"dryRun", true}};
  if (flags.replicas > 0) spec["replicas"] = flags.replicas;
  if (!flags.profile.empty()) spec["profile"] = flags.profile;
  if (!weights->empty()) spec["strategies"] = std::move(*weights);
  if (auto list = changes(flags); !list.empty()) spec["changes"] = std::move(list);
  if (!flags.nodes.empty()) spec["nodes"] = json::array(flags.nodes.begin(), flags.nodes.end());
  if (flags.fixes) spec["fixes"] = true;
  return spec;
}

std::string other_options(const QuestionFlags& flags, const render::Report& report) {
  const auto& answer = render::answer_of(report);
  std::vector<std::string> out;
  const auto node = !answer.placements.empty() ? answer.placements.front().node
                    : report.status.choice     ? report.status.choice->node
                                               : std::string("NODE");
  if (flags.replicas == 0) out.emplace_back("--replicas N");
  if (flags.weights.empty()) out.emplace_back("--weights NodeResourcesFit=5");
  if (flags.drain.empty() && flags.add_nodes == 0) out.push_back("--drain " + node);
  if (flags.add_nodes == 0) out.push_back("--add-nodes 2 --like " + node);
  if (!flags.fixes && answer.fitting < answer.asked && !render::is_pods_own_fault(report))
    out.emplace_back("--fixes");
  return fmt::format("{}", fmt::join(out, ", "));
}

json::value question_object(const std::string& ns, const std::string& name, json::object spec, bool keep) {
  if (!keep) spec["ttlSeconds"] = kTtlSeconds;
  return json::object{{"apiVersion", "podium.dev/v1alpha1"},
                      {"kind", "SchedulingReport"},
                      {"metadata", json::object{{"name", name}, {"namespace", ns}}},
                      {"spec", std::move(spec)}};
}

}  // namespace podium::kubectl

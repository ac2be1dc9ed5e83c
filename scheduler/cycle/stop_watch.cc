#include "scheduler/cycle/stop_watch.h"

#include "base/clock.h"

namespace podium::cycle {
namespace {

using framework::Phase;

constexpr std::uint64_t kSampled = 10;  // one evaluation in ten, starting with the first

}  // namespace

PluginCalls::PluginCalls(const framework::Profile& profile) : profile(profile) {
  const auto size = [this](Phase phase, std::size_t plugins) {
    times[static_cast<std::size_t>(phase)].resize(plugins);
  };
  size(Phase::pre_filter, profile.pre_filters.size());
  size(Phase::filter, profile.filters.size());
  size(Phase::pre_score, profile.pre_scores.size());
  size(Phase::score, profile.scores.size());
}

std::string_view extension_point_name(Phase phase) {
  static constexpr std::array<std::string_view, framework::kPhases> kPoints{
      "PreFilter", "Filter", "PostFilter", "PreScore", "Score"};
  return kPoints[static_cast<std::size_t>(phase)];
}

std::string_view plugin_name(const framework::Profile& profile, Phase phase, std::size_t index) {
  switch (phase) {
    case Phase::pre_filter:
      return profile.pre_filters[index].name;
    case Phase::filter:
      return profile.filters[index].name;
    case Phase::post_filter:
      return profile.post_filters[index].name;
    case Phase::pre_score:
      return profile.pre_scores[index].name;
    case Phase::score:
      return profile.scores[index].name;
  }
  return {};
}

StopWatch::StopWatch(const Clock& clock, Metrics& metrics, PluginCalls& calls)
    : clock_(clock),
      metrics_(metrics),
      calls_(calls),
      samples_plugins_(calls.evaluations++ % kSampled == 0),
      phase_began_(clock.now()),
      plugin_began_(phase_began_) {}

void StopWatch::phase_ended(Phase phase, std::string_view status) {
  const auto now = clock_.now();
  metrics_.extension_point(extension_point_name(phase), status, calls_.profile.scheduler_name,
                           in_seconds(now - phase_began_));
  phase_began_ = plugin_began_ = now;
}

void StopWatch::plugin_called(Phase phase, std::size_t index, std::size_t nodes, std::string_view status) {
  if (status != framework::kSkip) calls_.times[static_cast<std::size_t>(phase)][index] += nodes;
  if (!samples_plugins_) return;
  const auto now = clock_.now();
  metrics_.plugin(plugin_name(calls_.profile, phase, index), extension_point_name(phase), status,
                  in_seconds(now - plugin_began_));
  plugin_began_ = now;
}

}  // namespace podium::cycle

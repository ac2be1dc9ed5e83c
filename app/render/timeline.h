// A pod's timeline: when it was created, gated, tried, bound and ready, as far as the pod, its report and its
// eviction say.
//
// Threads: values and pure functions. Errors: none; unknown facts are left out.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/render/options.h"
#include "app/render/report.h"

namespace podium::render {

struct TimelineEntry {
  std::optional<Wall> at;  // nullopt: not known; it is so now
  std::string what;        // "tried"
  std::string text = {};   // "Insufficient cpu (54 nodes)"
};

// The pod's own moments.
// `is_being_bound`: to the nominated node; else the pod waits for room there.
std::vector<TimelineEntry> moments_of_pod(const boost::json::value& pod, bool is_being_bound = false);
// What the pod's condition PodScheduled says of a pod that waits, if no report of podium has its attempts.
std::vector<TimelineEntry> attempts_of_pod(const boost::json::value& pod);
// The decision and the attempts before it. `nominated`: when the pods were evicted for it; nullopt: not
// known, and later attempts repeat the nomination.
std::vector<TimelineEntry> moments_of(const Report& report, std::optional<Wall> nominated = std::nullopt);
// The creation and the binding of a pod that is gone or not at hand, from its report. Without `created`, it
// was created at its first moment or before.
std::vector<TimelineEntry> moments_of_gone(const Report& report, std::optional<Wall> created = std::nullopt);

// `pod`: "namespace/pod", for which it had to make room.
TimelineEntry evicted(std::optional<Wall> at, const std::string& pod);

// By time, those without one last; those of the same time stay in their order after the creation.
std::vector<TimelineEntry> in_order(std::vector<TimelineEntry> moments);

std::string timeline_table(const std::string& subject, const std::vector<TimelineEntry>& moments,
                           const Options& options);
boost::json::value timeline_document(const std::vector<TimelineEntry>& moments);

}  // namespace podium::render

// How many pods the controllers create for a workload: HorizontalPodAutoscalers keep the replicas within
// bounds, what is suspended or paused has none, and a Job has as many as are left.
//
// Threads: pure functions. Errors: none; what is missing has the API server's default.
// Source: pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler); pkg/apis/autoscaling/v2;
// pkg/controller/job (manageJob, firstPendingIndexes).
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace podium::explain {

struct Autoscaler {
  std::string name;
  std::int32_t least = 1, most = 1;

  // Nothing scales a workload without replicas.
  std::int32_t replicas(std::int32_t of_workload) const;
};

// Returns the autoscaler of the workload in this namespace. nullopt: none of them scales it.
std::optional<Autoscaler> autoscaler_of(const boost::json::value& workload, const std::string& ns,
                                        const std::vector<boost::json::value>& autoscalers);

// Whether the workload is scaled to 0, so that its controller creates no pod.
bool has_no_replicas(const boost::json::value& workload);
// "has 0 replicas"; of a Job or a CronJob "has parallelism 0, so it is paused".
std::string no_replicas_words(const boost::json::value& workload);
// Whether its controller creates no pod until the Job or CronJob, or a Deployment that is new, is resumed.
bool is_suspended(const boost::json::value& workload, bool is_new);
// "is suspended"; of a Deployment "is paused".
std::string suspended_words(const boost::json::value& workload);
// Whether it is a Job of the cluster that is complete or has failed, and so gets no more pods.
bool has_ended(const boost::json::value& workload);
// How many pods a Job of the cluster has at the same time, once its controller has created all: at most its
// parallelism, and the completions that are left, without the indexes that have failed for good. A Job
// without completions gets no more pods after the first that succeeds.
std::int32_t pods_of_job(const boost::json::value& job);

}  // namespace podium::explain

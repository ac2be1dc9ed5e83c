// The configuration as values: what a KubeSchedulerConfiguration v1 and a PodiumConfiguration say, with
// defaults filled in.
//
// scheduler/config/load.h reads it from a file. Threads: values.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/config/gates/feature_gates.h"

namespace podium::api {
struct LabelSelector;
}
namespace podium::framework {
struct Profile;
}

namespace podium::config {

struct LeaderElection {
  bool leader_elect = true;
  std::chrono::milliseconds lease_duration{15000}, renew_deadline{10000}, retry_period{2000};
  std::string resource_lock = "leases", resource_name = "kube-scheduler", resource_namespace = "kube-system";
};

struct ClientConnection {
  std::string kubeconfig;
};

struct Extender {  // one entry of `extenders`
  struct Tls {
    bool insecure = false;
    std::string server_name, cert_file, key_file, ca_file;
    std::string cert_data, key_data, ca_data;  // base64
  };
  std::string url_prefix;
  std::string filter_verb, prioritize_verb, preempt_verb, bind_verb;  // empty: not supported
  std::int64_t weight = 1;
  bool enable_https = false;
  Tls tls;
  std::chrono::milliseconds http_timeout{5000};
  bool node_cache_capable = false;
  bool ignorable = false;
  std::vector<std::string> managed_resources;  // empty: the extender applies to every pod
};

struct Podium {  // PodiumConfiguration
  // percentageOfNodesToScore: 0 means upstream's adaptive rule; if false, it means all nodes.
  bool adaptive_search = false;
  // Hides node names in reports, answers to what-ifs, and from HTTPS users without the right to list nodes.
  bool withhold_node_names = false;
  struct Reports {
    bool enabled = true;
    bool only_failures = false;
    double sampling = 1;  // fraction of the placed pods that get a report, 0..1
    std::chrono::seconds ttl{24 * 60 * 60};
    // For decisions, and the same again for what-ifs; in total and per namespace.
    std::int64_t max_reports = 10'000, max_reports_per_namespace = 2'500;
    std::int64_t max_bytes = 64 << 20, max_bytes_per_namespace = 16 << 20;
    std::vector<std::string> exclude_namespaces;
    std::shared_ptr<const api::LabelSelector>
        namespace_selector;  // of the namespaces whose pods get reports; null: all
  } reports;
  struct Events {
    bool enabled = true;
    bool best_nodes = false;  // emit an event on the pod that lists the best nodes
  } events;
  struct WhatIf {
    bool enabled = true;
    std::int64_t workers = 1;
    std::chrono::nanoseconds deadline{std::chrono::seconds(5)};  // CPU time of one request
    // Limits on queued requests; further requests are rejected.
    std::int64_t max_waiting = 10'000;
    std::int64_t max_waiting_per_namespace = 2'000;
  } what_if;
  struct HttpApi {
    bool enabled = true;
    std::int64_t memory_mib = 64;  // of the decisions that are kept in memory to answer it
    bool page = true;              // also serves the page for browsers
  } http_api;
};

struct Config {
  std::vector<std::shared_ptr<const framework::Profile>> profiles;
  std::int64_t parallelism = 16;
  std::int64_t percentage_of_nodes_to_score = 0;
  std::chrono::seconds pod_initial_backoff{1}, pod_max_backoff{10};
  bool delay_cache_until_active = false;
  LeaderElection leader_election;
  ClientConnection client_connection;
  framework::Features features;
  std::vector<Extender> extenders;  // in file order
  Podium podium;
  boost::json::value view;  // the defaulted KubeSchedulerConfiguration, as `podium config view` prints it
  boost::json::value podium_view;     // the defaulted PodiumConfiguration
  std::vector<std::string> warnings;  // about accepted values: "score weight 0 counts as 1"

  const framework::Profile* profile(std::string_view scheduler_name) const;  // null: no such profile
};

}  // namespace podium::config

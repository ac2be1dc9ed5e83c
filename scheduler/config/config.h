// KubeSchedulerConfiguration v1: read, defaulted and validated as upstream does, all findings at once.
//
// Source: pkg/scheduler/apis/config (v1 defaults, validation). Unknown fields, duplicate keys and wrong types are errors
// with file, line and path. A second document of kind PodiumConfiguration (config.podium.dev/v1alpha1) holds
// what is podium's own.
// Threads: values; load() is called before anything starts.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "scheduler/config/feature_gates.h"
#include "scheduler/framework/profile.h"
#include "scheduler/plugins/registry.h"

namespace podium::config {

struct LeaderElection {
  bool leader_elect = true;
  std::chrono::milliseconds lease_duration{15000}, renew_deadline{10000}, retry_period{2000};
  std::string resource_lock = "leases", resource_name = "kube-scheduler", resource_namespace = "kube-system";
};

struct ClientConnection {
  std::string kubeconfig;
  double qps = 50;
  std::int64_t burst = 100;
};

struct Extender {  // one entry of `extenders`
  struct Tls {
    bool insecure = false;
    std::string server_name, cert_file, key_file, ca_file;
    std::string cert_data, key_data, ca_data;  // base64
  };
  std::string url_prefix;
  std::string filter_verb, prioritize_verb, preempt_verb, bind_verb;  // empty: not asked
  std::int64_t weight = 1;
  bool enable_https = false;
  Tls tls;
  std::chrono::milliseconds http_timeout{5000};
  bool node_cache_capable = false;
  bool ignorable = false;
  std::vector<std::string> managed_resources;  // empty: it is interested in every pod
};

struct Podium {                  // PodiumConfiguration
  bool adaptive_search = false;  // percentageOfNodesToScore: 0 is upstream's adaptive rule; else all nodes
                                 // are evaluated
  struct Reports {
    bool enabled = true;
    bool only_failures = false;
    double sampling = 1;  // share of the placed pods that get a report, 0..1
    std::chrono::seconds ttl{600};
    std::int64_t max_reports = 20000;
    std::vector<std::string> exclude_namespaces;
  } reports;
  struct Events {
    bool enabled = true;
    bool best_nodes = false;  // an event on the pod with the best nodes in one line
  } events;
  struct WhatIf {
    bool enabled = true;
    std::int64_t workers = 1;
    std::chrono::nanoseconds deadline{std::chrono::seconds(5)};  // of CPU time for one question
    // Questions that wait to be answered; more are refused.
    std::int64_t max_waiting = 10'000;
    std::int64_t max_waiting_per_namespace = 2'000;
  } what_if;
};

struct Config {
  std::vector<framework::ProfilePtr> profiles;
  std::int64_t parallelism = 16;
  std::int64_t percentage_of_nodes_to_score = 0;
  std::chrono::seconds pod_initial_backoff{1}, pod_max_backoff{10};
  bool delay_cache_until_active = false;
  LeaderElection leader_election;
  ClientConnection client_connection;
  framework::Features features;
  std::vector<Extender> extenders;  // as the file orders them
  Podium podium;
  boost::json::value view;  // the defaulted KubeSchedulerConfiguration, as `podium config view` prints it
  boost::json::value podium_view;     // the defaulted PodiumConfiguration
  std::vector<std::string> warnings;  // accepted, and worth saying: "score weight 0 counts as 1"

  const framework::Profile* profile(std::string_view scheduler_name) const;  // null where none has that name
};

struct LoadOptions {
  FeatureGates gates;
  plugins::Registry plugins;  // with the out-of-tree plugins that a configuration may name
  // Fields of the KubeSchedulerConfiguration that count instead of the file's, as flags give them.
  boost::json::object overrides{};
};

// An empty text is the default configuration. On failure Error.message has every finding, one a line, each as
// "FILE:LINE: path: value: reason" as far as known.
Result<Config> load(std::string_view text, std::string_view file_name, const LoadOptions& options = {});
// A file without a document is an Error.
Result<Config> load_file(const std::string& path, const LoadOptions& options = {});

}  // namespace podium::config

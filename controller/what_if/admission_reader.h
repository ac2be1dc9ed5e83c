// AdmissionReader: reads the objects that the API server's admission of a question's pods uses and the
// snapshot lacks: the LimitRanges and ResourceQuotas of its namespace, the RuntimeClasses of all its pods,
// and the templates of their ResourceClaims. And the PodGroups of the pods that it is about; of a search, of
// those that wait.
//
// Reads them when a question needs them, without a watch: questions are few, and these objects would need a
// cache in each podium. An object that cannot be read in time is omitted: the answer lists it as not
// modelled, and the log has the reason, once a minute for each reason.
//
// Owner: WhatIfController. Threads: as the Api's. Errors: none; a reply of a proxy counts as not read.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <compare>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/admission/admission.h"
#include "base/clock.h"
#include "base/result.h"
#include "client/api.h"
#include "controller/what_if/read_cache.h"
#include "explain/question/question.h"
#include "log/limit.h"
#include "scheduler/cluster/pod_info.h"

namespace podium::controller {

class AdmissionReader {
 public:
  // The most objects of a kind in a namespace; if there are more, none is read.
  static constexpr std::size_t kMostListed = 100, kMostListedBytes = 4 << 20;

  static constexpr std::size_t kMostGroups = 128;  // that are read for a question
  // For all objects of a question together, and for one. A question keeps a place while it reads.
  static constexpr std::chrono::seconds kReading{10}, kReadingOne{5};

  // Returns the pods without a node.
  using Waiting = std::function<client::Task<std::vector<cluster::PodInfoPtr>>()>;

  explicit AdmissionReader(client::Api& api, Waiting waiting = {})
      : api_(api), waiting_(std::move(waiting)) {}

  // For a question with its subject: for all pods that it places.
  client::Task<api::AdmissionObjects> read(std::shared_ptr<const explain::Question> question);

 private:
  template <typename T>
  client::Task<void> read_all(const char* kind, const client::Resource* resource, std::string ns,
                              Result<T> (*decode)(const boost::json::value&), Steady until,
                              std::optional<std::vector<T>>* out);
  // An object, from the cache if it has it.
  template <typename Cache, typename T>
  client::Task<Result<typename Cache::Entry>> read_one(std::string path, std::size_t most_bytes,
                                                       Result<T> (*decode)(const boost::json::value&),
                                                       Steady until, Cache* cache);
  // False: no other class is read. The question is refused because this one is missing, or the API server
  // does not answer, and each read may take as long as its deadline.
  client::Task<bool> read_runtime_class(std::string name, Steady until, api::AdmissionObjects* out);
  client::Task<void> read_claim_templates(std::shared_ptr<const explain::Question> question, Steady until,
                                          api::AdmissionObjects* out);
  struct Group {
    bool is_of_kubernetes = false;
    std::string ns, name;
    auto operator<=>(const Group&) const = default;
  };
  using Groups = std::set<Group>;
  // The first group of each namespace, then the second one of each: a namespace does not use up the bound.
  static std::vector<Group> in_turns(const Groups& groups);
  client::Task<Groups> groups_of(std::shared_ptr<const explain::Question> question);
  client::Task<void> read_groups(Groups groups, Steady until, api::AdmissionObjects* out);
  // Nullopt: the time is over.
  std::optional<client::CallOptions> options_until(Steady until) const;
  void log(const char* kind, const Error& error);

  client::Api& api_;
  const Waiting waiting_;
  ReadCache<api::RuntimeClass> classes_;
  ReadCache<api::ResourceClaimTemplate> templates_;
  ReadCache<std::size_t, kMostGroups> groups_;  // their minimums
  LogLimit log_;
};

}  // namespace podium::controller

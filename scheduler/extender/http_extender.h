// HttpExtender: one entry of `extenders`, asked over HTTP.
//
// Each call is one POST of JSON to urlPrefix/verb, with httpTimeout as its deadline.
// Threads: immutable; calls may be made from any executor, several at once, and resume on their caller's.
// Errors: in upstream's words where it has some; maybe_applied where a binding was sent and its reply never
// came.
// Source: pkg/scheduler/extender.go.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/pod.h"
#include "client/http/transport.h"
#include "scheduler/config/config.h"
#include "scheduler/extender/wire.h"

namespace podium::extender {

// The nodes that an extender is asked about: the names always, the texts where it has no cache of its own.
struct Candidates {
  Candidates() {}  // not an aggregate: GCC 12 destroys one that is made inside a co_await twice
  Candidates(std::vector<std::string> names, std::vector<Text> nodes)
      : names(std::move(names)), nodes(std::move(nodes)) {}

  std::vector<std::string> names;
  std::vector<Text> nodes;
};

class HttpExtender {
 public:
  HttpExtender(config::Extender config, std::shared_ptr<client::Transport> transport);

  const std::string& name() const { return config_.url_prefix; }
  // A container of the pod asks for a resource that the extender manages; one that manages none is interested
  // in all pods.
  bool interested(const api::Pod& pod) const;
  bool filters() const { return !config_.filter_verb.empty(); }
  bool prioritizes() const { return !config_.prioritize_verb.empty(); }
  bool preempts() const { return !config_.preempt_verb.empty(); }
  bool binds() const { return !config_.bind_verb.empty(); }
  bool ignorable() const { return config_.ignorable; }
  bool wants_nodes() const { return !config_.node_cache_capable; }  // and pods: whole objects

  client::Task<Result<framework::FilterOpinion>> filter(Text pod, Candidates candidates) const;
  client::Task<Result<framework::ScoreOpinion>> prioritize(Text pod, Candidates candidates) const;
  // What the extender makes of these victims, by node name.
  client::Task<Result<std::vector<Victims>>> preempt(Text pod, std::vector<Victims> victims) const;
  client::Task<Result<void>> bind(api::PodPtr pod, std::string node) const;

  void close() { transport_->close(); }

 private:
  std::string body(const Text& pod, const Candidates& candidates) const;
  std::string url(const std::string& verb) const;
  Error about(const std::string& verb, const Error& error) const;
  client::Task<Result<std::string>> send(std::string verb, std::string body, bool again) const;

  const config::Extender config_;
  const std::shared_ptr<client::Transport> transport_;
};

// How to reach it; Kind::invalid with "extenders: URL: reason" for TLS settings that do not fit together.
Result<client::ClientConfig> client_config(const config::Extender& config);

}  // namespace podium::extender

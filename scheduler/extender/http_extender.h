// HttpExtender: the HTTP client of one entry of `extenders`.
//
// Each call is one POST of JSON to urlPrefix/verb with the deadline httpTimeout. All calls but bind() are
// sent a second time if the connection was closed while the request was written.
// Threads: immutable; concurrent calls from any executor are allowed, each resumes on its caller's executor.
// Errors: upstream's texts where they exist. maybe_applied: a binding was sent but got no reply.
// Source: pkg/scheduler/extender.go.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/http/transport.h"
#include "scheduler/config/values/config.h"
#include "scheduler/extender/wire.h"

namespace podium::api {
struct Pod;
}

namespace podium::extender {

// The nodes of a request. `names` is always set; `nodes` is for extenders that are not nodeCacheCapable.
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
  // True if a container of the pod requests a resource that the extender manages, or if the extender
  // has no managedResources.
  bool interested(const api::Pod& pod) const;
  bool filters() const { return !config_.filter_verb.empty(); }
  bool prioritizes() const { return !config_.prioritize_verb.empty(); }
  bool preempts() const { return !config_.preempt_verb.empty(); }
  bool binds() const { return !config_.bind_verb.empty(); }
  bool ignorable() const { return config_.ignorable; }
  // Requests carry whole objects (nodes, and victims as pods) instead of names and UIDs.
  bool wants_nodes() const { return !config_.node_cache_capable; }

  client::Task<Result<framework::FilterOpinion>> filter(Text pod, Candidates candidates) const;
  client::Task<Result<framework::ScoreOpinion>> prioritize(Text pod, Candidates candidates) const;
  // Sends the candidate victims of each node; returns those that the extender keeps, by node name.
  client::Task<Result<std::vector<Victims>>> preempt(Text pod, std::vector<Victims> victims) const;
  client::Task<Result<void>> bind(std::shared_ptr<const api::Pod> pod, std::string node) const;

  void close() { transport_->close(); }

 private:
  std::string body(const Text& pod, const Candidates& candidates) const;
  std::string url(const std::string& verb) const;
  Error about(const std::string& verb, const Error& error) const;
  client::Task<Result<std::string>> send(std::string verb, std::string body, bool retry) const;

  const config::Extender config_;
  const std::shared_ptr<client::Transport> transport_;
};

// The client configuration of an extender. Kind::invalid with "extenders: URL: reason" for an invalid URL,
// unreadable files, and TLS settings that contradict each other.
Result<client::ClientConfig> client_config(const config::Extender& config);

}  // namespace podium::extender

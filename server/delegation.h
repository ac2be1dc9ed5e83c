// Delegation: authentication and authorization of requests by an API server, put together from its options.
//
// Owner: DiagnosticsServer. Threads: load() before the executor runs; everything else on it.
// Errors: load() names the flag or file that is wrong.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "async/gate.h"
#include "base/clock.h"
#include "client/api.h"
#include "server/access.h"
#include "server/client_ca_source.h"
#include "server/review.h"

namespace podium::server {

// As kube-scheduler's flags; the defaults are its own.
struct DelegationOptions {
  std::string client_ca_file;           // empty: the CA is looked up in the cluster
  bool skip_lookup = false;             // no look-up either: client certificates say nothing
  bool tolerate_lookup_failure = true;  // else a failing first look-up ends the process
  std::chrono::milliseconds token_ttl{10'000}, allowed_ttl{10'000}, denied_ttl{10'000};
  std::vector<std::string> always_allow_paths{"/healthz", "/readyz", "/livez"};
};

class Delegation {
 public:
  // Transports to the API servers that review tokens and access, and that hold the CA; they write whether or
  // not this process leads.
  struct Reviewers {
    std::shared_ptr<client::Transport> authentication, authorization;
  };
  Delegation(async::Gate& gate, boost::asio::any_io_executor executor, Clock& clock, Random& random,
             Reviewers reviewers, DelegationOptions options);

  Result<void> load();
  // Begins to look up the CA. `fatal` is called with the reason where that fails and must not.
  void start(std::function<void(const Error&)> fatal);
  void disconnect();  // from the API servers

  // nullopt: go on. After load().
  async::Task<std::optional<Reply>> refusal(Request request) { return access_->refusal(std::move(request)); }

 private:
  const DelegationOptions options_;
  const Reviewers reviewers_;
  client::Api authentication_, authorization_;
  TokenReviews tokens_;
  AccessReviews reviews_;
  FileClientCa file_ca_;
  ClusterClientCa cluster_ca_;
  Clock& clock_;
  std::optional<Access> access_;
};

}  // namespace podium::server

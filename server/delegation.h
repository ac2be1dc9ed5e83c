// Delegation: authentication and authorization by an API server, composed from its options.
//
// Owner: DiagnosticsServer. Threads: load() before the executor runs; everything else on it.
// Errors: load() names the invalid flag or file.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "async/gate.h"
#include "base/clock.h"
#include "base/random.h"
#include "client/api.h"
#include "server/access.h"
#include "server/client_ca_source.h"
#include "server/review.h"

namespace podium::server {

// kube-scheduler's flags and defaults.
struct DelegationOptions {
  std::string client_ca_file;           // empty: the CA is looked up in the cluster
  bool skip_lookup = false;             // no look-up either: client certificates are ignored
  bool tolerate_lookup_failure = true;  // false: a failed first look-up is fatal
  std::chrono::milliseconds token_ttl{10'000}, allowed_ttl{10'000}, denied_ttl{10'000};
  std::vector<std::string> always_allow_paths{"/healthz", "/readyz", "/livez"};
};

class Delegation {
 public:
  // Transports to the API servers that review tokens and access and that have the CA. They write even if this
  // process does not lead.
  struct Reviewers {
    std::shared_ptr<client::Transport> authentication, authorization;
  };
  // `files` reads a changed CA.
  Delegation(async::Gate& gate, boost::asio::any_io_executor executor, boost::asio::any_io_executor files,
             Clock& clock, Random& random, Reviewers reviewers, DelegationOptions options);

  Result<void> load();
  // Starts to look up the CA, or to watch its file. Calls `fatal` if the first look-up fails and
  // tolerate_lookup_failure is false.
  void start(std::function<void(const Error&)> fatal);
  void disconnect();  // from the API servers

  // See Access. load() must have succeeded.
  async::Task<AccessDecision> admit(Request request, Attributes what);
  async::Task<std::optional<Reply>> refusal(Request request);

 private:
  const DelegationOptions options_;
  const Reviewers reviewers_;
  async::Gate& gate_;
  const boost::asio::any_io_executor executor_, files_;
  client::Api authentication_, authorization_;
  Shares shares_{kReviewShares};
  TokenReviews tokens_;
  AccessReviews reviews_;
  FileClientCa file_ca_;
  ClusterClientCa cluster_ca_;
  Clock& clock_;
  std::optional<Access> access_;
};

}  // namespace podium::server

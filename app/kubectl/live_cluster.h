// LiveCluster: one API server, for a program that sends one request at a time. Each call blocks the caller
// until its reply.
//
// Tests give it their own transport. Calls run one io_context on the caller's thread;
// nothing runs between calls.
// Owner: a command. Threads: one. Errors: as Api; `invalid` for an invalid kubeconfig.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/kubectl/cluster.h"
#include "base/clock.h"
#include "base/random.h"
#include "client/api.h"

namespace podium::kubectl {

// The error of a wait that Ctrl-C ended.
inline constexpr const char* kInterrupted = "interrupted";

class LiveCluster : public Cluster {
 public:
  using MakeTransport = std::function<std::shared_ptr<client::Transport>(boost::asio::any_io_executor)>;

  // The API server and the namespace that the flags and the kubeconfig name.
  static Result<std::unique_ptr<LiveCluster>> connect(const ConnectionFlags& connection);
  LiveCluster(const MakeTransport& make, std::string ns, std::chrono::milliseconds timeout, Clock& clock,
              Random& random);
  ~LiveCluster() override;
  LiveCluster(const LiveCluster&) = delete;

  const std::string& ns() const override { return ns_; }
  std::chrono::milliseconds timeout() const { return timeout_; }
  // All requests together have timeout(), as a user waits for the whole command. Starts it again: for the
  // next question, or after a pause.
  void start_timeout() { deadline_ = clock_.now() + timeout_; }
  Random& random() { return random_; }

  Result<boost::json::value> get(const client::Resource& resource, const std::string& ns,
                                 const std::string& name) override;
  Result<std::vector<boost::json::value>> list(const client::Resource& resource, const std::string& ns,
                                               const client::ListOptions& options) override;
  // ask.cc and reports.cc implement these with the calls below.
  AdmittedPod dry_run_pod(const std::string& ns, const boost::json::value& pod) override;
  Result<bool> dry_run(const std::string& ns, const boost::json::value& object) override;
  Result<boost::json::value> ask(const std::string& ns, boost::json::object spec, bool keep) override;
  Result<std::optional<boost::json::value>> decision(const std::string& ns, const std::string& pod,
                                                     const std::string& uid) override;
  Result<std::optional<boost::json::value>> remembered(const std::string& ns, const std::string& pod,
                                                       const std::string& uid) override;
  std::optional<Eviction> remembered_eviction(const std::string& ns, const std::string& pod) override;
  std::optional<Eviction> reported_eviction(const std::string& ns, const std::string& pod) override;
  Result<std::vector<boost::json::value>> unplaced_decisions(const std::string& ns) override;

  // A write, sent once; `target` may have a query. After a lost reply the error has maybe_applied.
  Result<boost::json::value> write(const std::string& method, const std::string& target,
                                   const boost::json::value& body);
  // Watches one object until `done`, at most for what is left of the timeout. Kind::timeout: it was not done
  // in time. After Ctrl-C: Kind::cancelled with the message kInterrupted.
  Result<boost::json::value> wait_for(const client::Resource& resource, const std::string& ns,
                                      const std::string& name,
                                      std::function<bool(const boost::json::value&)> done);

  // From now on SIGINT and SIGTERM end wait_for() and pause() and not the process. `all`: they also end
  // requests, and later requests fail.
  void catch_interrupts(bool all = false);
  // Waits, at most until an interrupt.
  bool pause(std::chrono::milliseconds time) override;
  bool interrupted() const override { return interrupted_; }

 private:
  // The reply of podium's HTTPS API about a pod.
  Result<boost::json::value> ask_memory(const std::string& ns, const std::string& pod,
                                        std::chrono::milliseconds most);

  template <typename T>
  Result<T> run(client::Task<Result<T>> task);
  // What is left of the timeout; Kind::timeout: nothing.
  Result<std::chrono::milliseconds> left() const;
  client::Task<Result<boost::json::value>> send(std::shared_ptr<client::Transport> transport,
                                                client::Request request);
  client::Task<Result<boost::json::value>> watch(client::Resource resource, std::string ns, std::string name,
                                                 std::function<bool(const boost::json::value&)> done);
  client::Task<Result<bool>> wait_until(Steady end);
  // One watch, until it ends. nullopt: it ended before `done`.
  client::Task<Result<std::optional<boost::json::value>>> watch_once(
      std::string target, std::function<bool(const boost::json::value&)> done, Steady deadline);

  boost::asio::io_context io_;
  std::optional<ConnectionFlags> connection_;  // of connect(): where podium's HTTPS API is
  std::optional<boost::asio::signal_set> signals_;
  std::shared_ptr<client::Transport> transport_;
  const std::string ns_;
  const std::chrono::milliseconds timeout_;
  Clock& clock_;
  Random& random_;
  client::Api api_;
  Steady deadline_;
  // The last reply of ask_memory(), and the pod: why asks twice, and each connection takes a while.
  std::optional<std::pair<std::string, Result<boost::json::value>>> memory_;
  client::Stream* stream_ = nullptr;  // of the running watch
  bool interrupted_ = false;
};

}  // namespace podium::kubectl

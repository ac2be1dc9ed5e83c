// DumpCluster: a Cluster from the files of a dump (--cluster). Answers questions in this process as the
// podium of that cluster would.
//
// A dump has no reports, so the decision about a pod that waits is made again. The reason for a placement is
// not known.
//
// Owner: a command. Threads: one. Errors: as Cluster's; kinds that the dump lacks are
// warnings on standard error.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/kubectl/cluster.h"

namespace podium::offline {
class Dump;
}

namespace podium::kubectl {

class DumpCluster : public Cluster {
 public:
  static Result<std::unique_ptr<Cluster>> open(const ConnectionFlags& connection);
  DumpCluster(offline::Dump dump, std::string ns, std::string hint_flags);
  ~DumpCluster() override;

  const std::string& ns() const override { return ns_; }
  std::string hint_flags() const override { return hint_flags_; }
  Result<boost::json::value> get(const client::Resource& resource, const std::string& ns,
                                 const std::string& name) override;
  Result<std::vector<boost::json::value>> list(const client::Resource& resource, const std::string& ns,
                                               const client::ListOptions& options) override;
  AdmittedPod dry_run_pod(const std::string& ns, const boost::json::value& pod) override;
  Result<bool> dry_run(const std::string& ns, const boost::json::value& object) override;
  Result<boost::json::value> ask(const std::string& ns, boost::json::object spec, bool keep) override;
  Result<std::optional<boost::json::value>> decision(const std::string& ns, const std::string& pod,
                                                     const std::string& uid) override;
  Result<std::optional<boost::json::value>> remembered(const std::string&, const std::string&,
                                                       const std::string&) override {
    return std::optional<boost::json::value>();
  }
  Result<std::vector<boost::json::value>> unplaced_decisions(const std::string& ns) override;

 private:
  // Why the namespace takes no new objects; empty: it does, or the dump lacks it.
  std::string terminating(const std::string& ns);
  boost::json::value answered(const std::string& ns, const std::string& name, boost::json::object spec);
  // The answer about a pod that waits; nullopt: it has a node or a gate, or has ended.
  Result<std::optional<boost::json::value>> decide(const boost::json::value& pod);

  const std::unique_ptr<const offline::Dump> dump_;
  const std::string ns_, hint_flags_;
  std::set<std::string> said_;  // warnings, once each
};

}  // namespace podium::kubectl

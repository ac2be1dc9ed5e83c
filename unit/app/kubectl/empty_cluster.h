// EmptyCluster: a Cluster without objects, whose namespace is shop. A test overrides what it needs.
//
// Threads: one. Errors: an empty Error for an object by name.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/kubectl/cluster.h"

namespace podium::kubectl {

class EmptyCluster : public Cluster {
 public:
  const std::string& ns() const override { return ns_; }
  Result<boost::json::value> get(const client::Resource&, const std::string&, const std::string&) override {
    return std::unexpected(Error{});
  }
  Result<std::vector<boost::json::value>> list(const client::Resource&, const std::string&,
                                               const client::ListOptions&) override {
    return std::vector<boost::json::value>();
  }
  AdmittedPod dry_run_pod(const std::string&, const boost::json::value& pod) override { return {.pod = pod}; }
  Result<bool> dry_run(const std::string&, const boost::json::value&) override { return false; }
  Result<boost::json::value> ask(const std::string&, boost::json::object, bool) override {
    return boost::json::value();
  }
  Result<std::optional<boost::json::value>> decision(const std::string&, const std::string&,
                                                     const std::string&) override {
    return std::nullopt;
  }
  Result<std::optional<boost::json::value>> remembered(const std::string&, const std::string&,
                                                       const std::string&) override {
    return std::nullopt;
  }
  Result<std::vector<boost::json::value>> unplaced_decisions(const std::string&) override {
    return std::vector<boost::json::value>();
  }

 private:
  const std::string ns_ = "shop";
};

}  // namespace podium::kubectl

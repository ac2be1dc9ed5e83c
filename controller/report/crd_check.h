// CrdCheck: checks that the CustomResourceDefinition of SchedulingReports has all fields of this version.
//
// helm never changes an existing CRD, so podium may find an older one, or none. It reads the CRD at its
// start and then every 15 or 300 seconds, and logs the missing fields in one line whenever they change.
// It stops nothing: an API server prunes unknown fields, and the writers wait for a CRD
// that is missing (docs/decisions/0010).
//
// Owner: the Engine; `gate` is empty before this is destroyed. Threads: `io`; ready() from any thread.
// Errors: logged; without the right to read CRDs it gives up after one line.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "async/gate.h"
#include "client/api.h"

namespace podium::metrics {
class Samples;
}

namespace podium::controller {

// The fields that podium reads and writes, such as "status.topNodes.score"; a test compares them with crds/.
std::span<const std::string> report_fields();

// The missing fields of the CRD, for users; empty: none.
std::vector<std::string> crd_problems(const boost::json::value& crd);

class CrdCheck {
 public:
  CrdCheck(client::Api& api, async::Gate& gate, boost::asio::any_io_executor io);
  ~CrdCheck();
  void start();
  // True if the CRD has everything; nullopt: unknown, because it was not read yet or may not be read.
  std::optional<bool> ready() const;
  void sample_metrics(metrics::Samples& out) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::controller

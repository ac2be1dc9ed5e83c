// A scene: a small cluster as the API server's JSON. One list or map in it, or a pair, has n entries.
//
// Rows of the table (rows.h) have templates of documents. expand() repeats what stands between « and » n
// times, with commas between and # replaced by the index; Doc::each repeats the document, with $ replaced by
// its index; #+ and $+ are the next index. run() does with the documents what podium does: decodes them, puts
// them into a snapshot, decides on each pod without a node, projects the report, and asks the hints that may
// wake the pod.
// Threads: none. Errors: those of a test.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/admission/admission.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin.h"
#include "unit/cost/row.h"
#include "unit/support/cost.h"

namespace podium::test::cost {

using Texts = std::vector<std::string>;
std::string expand(std::string_view text, std::size_t n);
Texts expand(const std::vector<Doc>& docs, std::size_t n);

// The cluster of the documents.
struct World {
  cluster::Snapshot snapshot;
  std::vector<cluster::PodInfoPtr> waiting;
  std::vector<framework::ClusterEvent> events;  // one of each kind
  api::AdmissionObjects admission;              // the quotas
};
World world_of(const Texts& texts);

struct Measured {
  Cost cost;
  std::int64_t kept = 0;   // bytes kept for the objects while they are in the snapshot
  std::int64_t bytes = 0;  // of their JSON
  double cpu_ms = 0;       // for people: no test asks for it
};
Measured run(const Row& row, std::size_t n);

// The n with which the largest document of the row has half of the API server's 1.5 MB.
std::size_t largest(const Row& row);

}  // namespace podium::test::cost

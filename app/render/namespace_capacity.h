// What a namespace could still run: the room for each kind of pod, and what limits it.
//
// Threads: values and pure functions. Errors: none; a refused question is a row.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/render/options.h"
#include "app/render/report.h"
#include "app/render/workload.h"

namespace podium::render {

struct NamespaceCapacity {
  struct Asked {
    std::string name;
    std::optional<Replicas> replicas;  // of a workload, as they are now
    Report report;
    // The question is about more pods next to those that exist; else about all pods, as if none existed.
    bool is_about_more = false;
    std::size_t own_waiting = 0;  // of the workload's pods, those that the question counts as waiting
  };
  std::string ns;
  std::vector<Asked> rooms = {};
  std::size_t workloads_total = 0;
  std::vector<boost::json::value> quotas = {};  // the ResourceQuotas, as far as the user may list them
};

// The words of a row, for an answer about one replica with `room`: {more: "at least 9999", limit: "…"}.
boost::json::object capacity_words_json(const Report& report);
std::string namespace_capacity_table(const NamespaceCapacity& capacity, const Options& options);
// 0: there is room for some of each, 3: of some kinds, 4: of none.
int namespace_capacity_exit_code(const NamespaceCapacity& capacity);

}  // namespace podium::render

// WhatIfReader: reads what-ifs from the API server: one with what it refers to, or all without an answer.
//
// Memory: one report of at most kObjectBytes for each call of read(), a page of them for list().
// Owner: WhatIfController. Threads: as the Api's. Errors: those of the requests; a wrong spec is not an error
// of read().
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/api.h"
#include "controller/what_if/asked.h"
#include "explain/question/question.h"
#include "scheduler/config/values/config.h"

namespace podium::controller {

class Asker;

// A what-if that was read.
struct ReadWhatIf {
  Asked asked;
  Result<explain::Question> question;  // an error: the spec is wrong, with the findings
  // From the spec, even if only its subject is wrong. 0: answered once.
  std::chrono::seconds ttl{0}, refresh{0};
  std::size_t bytes = 0;  // of the report
  bool again = false;     // this spec already has an answer
  // The JSON of what the question refers to, which is still to be read: it may be long.
  std::optional<std::string> reference = {};
};

// Reads `reference` on a worker. False: the process stops.
client::Task<bool> read_subject(Asker* asker, ReadWhatIf* read);

class WhatIfReader {
 public:
  WhatIfReader(client::Api& api, const config::Config& config) : api_(api), config_(config) {}

  // If there are several podiums, the one with the profile answers.
  bool is_ours(std::string_view scheduler_name) const;

  // nullopt: it is not a what-if of this podium, or it has its answer and is not asked `again`.
  client::Task<Result<std::optional<ReadWhatIf>>> read(std::string ns, std::string name, bool again);
  // The JSON of the pod or workload that the question refers to; nullopt: it does not exist. The snapshot
  // lacks pending pods and pod templates.
  client::Task<Result<std::optional<std::string>>> read_reference(
      std::shared_ptr<const explain::Question> question);
  // The report under this name as it is stored.
  client::Task<Result<Asked>> stored(std::string ns, std::string name);
  // All what-ifs of this podium without an answer.
  client::Task<Result<void>> list(std::function<void(const Asked&)> each);

 private:
  client::Api& api_;
  const config::Config& config_;
};

}  // namespace podium::controller

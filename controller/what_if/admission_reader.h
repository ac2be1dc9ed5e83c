// AdmissionReader: reads the objects that the API server's admission of a question's pod uses and the
// snapshot lacks: the LimitRanges of its namespace, its RuntimeClass, and the templates of its
// ResourceClaims.
//
// Reads them when a question needs them, without a watch: questions are few, and these objects would need a
// cache in each podium. An object that cannot be read is omitted: the answer lists it as not modelled, and
// the log has the reason, once a minute for each reason.
//
// Owner: WhatIfController. Threads: as the Api's. Errors: none; a reply of a proxy counts as not read.
#pragma once

#include <memory>
#include <string>

#include "api/admission.h"
#include "base/log_limit.h"
#include "client/api.h"
#include "explain/question/question.h"

namespace podium::controller {

class AdmissionReader {
 public:
  static constexpr std::size_t kMostLimitRanges = 100;   // of a namespace; if there are more, none is read
  static constexpr std::size_t kMostClaimTemplates = 8;  // of a pod; others count as unknown

  explicit AdmissionReader(client::Api& api) : api_(api) {}

  // For a question with its subject. For a stored pod, only the templates of its claims.
  client::Task<api::AdmissionObjects> read(std::shared_ptr<const explain::Question> question);

 private:
  client::Task<void> read_limit_ranges(std::string ns, api::AdmissionObjects* out);
  client::Task<void> read_runtime_class(std::string name, api::AdmissionObjects* out);
  client::Task<void> read_claim_templates(std::shared_ptr<const explain::Question> question,
                                          api::AdmissionObjects* out);
  void log(const char* kind, const Error& error);

  client::Api& api_;
  LogLimit log_;
};

}  // namespace podium::controller

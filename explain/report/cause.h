// Cause: a reason by its code and what it is about.
//
// Threads: values. Errors: none.
#pragma once

#include <string>

#include "explain/report/fields.h"
#include "scheduler/framework/reason.h"

namespace podium::explain {

// A reason for programs, next to kube-scheduler's text.
struct Cause {
  std::string code;
  framework::Topics about = {};
};
template <>
struct Fields<Cause> {
  static constexpr FieldList all{
      required("code", &Cause::code, {.bytes = 63}),
      field("about", &Cause::about),
  };
};

}  // namespace podium::explain

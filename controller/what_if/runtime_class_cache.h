// RuntimeClassCache: the RuntimeClasses that questions read, each for kTtl: questions share the reads.
//
// Has only classes that exist: a user who makes a missing one and asks again gets the new answer.
// Owner: AdmissionReader. Threads: the caller's. Errors: none.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "api/admission/admission.h"
#include "base/clock.h"

namespace podium::controller {

class RuntimeClassCache {
 public:
  static constexpr std::size_t kMost = 64;
  static constexpr std::chrono::seconds kTtl{2};

  // Null: not cached. Valid until the next keep().
  const api::RuntimeClass* find(std::string_view name, Steady now) const;
  void keep(std::string name, api::RuntimeClass read, Steady now);

 private:
  struct Entry {
    api::RuntimeClass read;
    Steady until{};
  };
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace podium::controller

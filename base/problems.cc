#include "base/problems.h"

namespace podium {

void Problems::add(Finding finding) {
  if (++count_ <= kMostShown) shown_.push_back(std::move(finding));
}

Error Problems::error() const {
  auto findings = shown_;
  if (count_ > kMostShown)
    findings.push_back({.reason = "and " + std::to_string(count_ - kMostShown) + " more", .is_whole = true});
  return invalid(std::move(findings)).error();
}

}  // namespace podium

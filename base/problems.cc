#include "base/problems.h"

namespace podium {

void Problems::add(std::string line) {
  if (++count_ <= kMostShown) shown_.push_back(std::move(line));
}

Error Problems::error() const {
  auto text = join_lines(shown_);
  if (count_ > kMostShown) text += "\nand " + std::to_string(count_ - kMostShown) + " more";
  return {.kind = Error::Kind::invalid, .message = std::move(text)};
}

}  // namespace podium

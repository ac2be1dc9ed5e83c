// PackedUid: the UID of an object in 24 bytes. As a text it takes 80, and there is one for each object.
//
// Any text is kept as it is; one that is not a UUID in lower case takes an allocation of its own.
// Threads: a value. Errors: none.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace podium {

class PackedUid {
 public:
  PackedUid() = default;
  explicit PackedUid(std::string_view text);

  bool empty() const { return high_ == 0 && low_ == 0 && !other_; }
  std::string text() const;
  bool operator==(const PackedUid& uid) const;

 private:
  std::uint64_t high_ = 0, low_ = 0;
  std::unique_ptr<const std::string> other_;  // the text, if it is not a UUID
};

}  // namespace podium

// ReportUsage: a number of reports and their bytes, as usage or as a limit. Threads: values. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace podium::controller {

struct ReportUsage {
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  bool operator==(const ReportUsage&) const = default;
  bool within(const ReportUsage& limit) const { return count <= limit.count && bytes <= limit.bytes; }

  void add(std::uint32_t bytes_of_one) {
    ++count;
    bytes += bytes_of_one;
  }
  void subtract(std::uint32_t bytes_of_one) {
    --count;
    bytes -= bytes_of_one;
  }
  ReportUsage without(const ReportUsage& some) const { return {count - some.count, bytes - some.bytes}; }
  ReportUsage half() const { return {count - count / 2, bytes - bytes / 2}; }
  ReportUsage four_fifths() const { return {count * 4 / 5, bytes * 4 / 5}; }
};

}  // namespace podium::controller

#include "controller/what_if/fork_memory.h"

#include <boost/pfr.hpp>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace podium::controller {
namespace {

// What a pod, a node or a claim takes in the fork's tables and indexes, by estimate.
constexpr std::size_t kTables = 1024;

// Bytes on the heap that a value owns. Structs are taken apart field by field, so that no field is forgotten.
struct Heap {
  static std::size_t of(const std::string& text) {
    return text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
  }
  static std::size_t of(const api::Labels& labels) {
    std::size_t sum = labels.size() * sizeof(api::Labels::Entry);
    for (const auto& entry : labels) sum += of(entry);
    return sum;
  }
  template <typename T>
  static std::size_t of(const std::vector<T>& list) {
    std::size_t sum = list.capacity() * sizeof(T);
    for (const auto& each : list) sum += of(each);
    return sum;
  }
  template <typename T>
  static std::size_t of(const std::optional<T>& value) {
    return value ? of(*value) : 0;
  }
  template <typename A, typename B>
  static std::size_t of(const std::pair<A, B>& pair) {
    return of(pair.first) + of(pair.second);
  }
  template <typename... T>
  static std::size_t of(const std::variant<T...>& value) {
    return std::visit([](const auto& held) { return of(held); }, value);
  }
  template <typename T>
  static std::size_t of(const std::shared_ptr<T>&) {
    return 0;  // shared
  }
  template <typename T>
  static std::size_t of(const T& value) {
    std::size_t sum = 0;
    if constexpr (!std::is_trivially_copyable_v<T>)
      boost::pfr::for_each_field(value, [&sum](const auto& field) { sum += of(field); });
    return sum;
  }
};

template <typename T>
std::size_t memory_of_object(const T& object) {
  return kTables + sizeof(T) + Heap::of(object);
}

}  // namespace

std::size_t memory_of(const api::Pod& pod) { return memory_of_object(pod); }
std::size_t memory_of(const api::Node& node) { return memory_of_object(node); }
std::size_t memory_of(const api::CsiNode& drivers) { return memory_of_object(drivers); }

std::size_t memory_of_replica(const Subject& subject, const api::Pod& pod,
                              const api::ClaimTemplates& templates) {
  auto sum = memory_of(pod);
  for (const auto& each : subject.claims) sum += memory_of_object(each);
  for (const auto& claim : subject.claim_templates) sum += memory_of_object(claim);
  for (const auto& entry : pod.resource_claims) {
    const auto found = entry.template_name ? templates.find(*entry.template_name) : templates.end();
    if (found != templates.end()) sum += memory_of_object(found->second);
  }
  return sum;
}

}  // namespace podium::controller

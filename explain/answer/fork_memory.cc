#include "explain/answer/fork_memory.h"

#include "base/heap_bytes.h"

namespace podium::explain {
namespace {

// Estimated bytes of a pod, a node or a claim in the fork's tables and indexes.
constexpr std::size_t kTables = 1024;

template <typename T>
std::size_t memory_of_object(const T& object) {
  return kTables + sizeof(T) + heap_bytes(object);
}

}  // namespace

std::size_t memory_of(const api::Pod& pod) { return memory_of_object(pod); }
std::size_t memory_of(const api::Node& node) { return memory_of_object(node); }
std::size_t memory_of(const api::CsiNode& drivers) { return memory_of_object(drivers); }
std::size_t memory_of(const api::ResourceSlice& slice) { return 2 * memory_of_object(slice); }

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

}  // namespace podium::explain

// Walks the list of fields of a type (fields.h), for the code that writes, reads or visits them all.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "explain/report/fields.h"

namespace podium::explain {

template <typename T>
struct IsList : std::false_type {};
template <typename T>
struct IsList<std::vector<T>> : std::true_type {};
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
concept ListField = IsList<T>::value;
template <typename T>
concept Optional = IsOptional<T>::value;

template <typename Part, typename See>
constexpr void each_field(See&& see) {
  Fields<Part>::all.show_to(see);
}
template <typename List, typename See>
void each_field(const Group<List>& group, See&& see) {
  group.fields.show_to(see);
}

// The most that the CRD allows of a text or a list, for code that fills it. Other members do not compile.
template <typename Owner, typename Type>
consteval CrdBound bound_of(Type Owner::* member) {
  std::optional<CrdBound> out;
  each_field<Owner>([&](const auto& field) {
    if constexpr (requires {
                    field.member == member;
                    field.bound;
                  }) {
      if (field.member == member)
        out = CrdBound{static_cast<std::uint32_t>(most_bytes(field.meaning, field.bound)), field.bound.items};
    }
  });
  return out.value();
}

// The keys of Topics, by topic.
inline constexpr const char* kTopicKeys[] = {"resource",   "claimName",       "storageClassName",
                                             "volumeName", "deviceClassName", "request",
                                             "driver",     "nodeName",        "labelKey"};
// The most bytes of a topic's name: those of the CRD.
inline constexpr std::size_t kTopicBytes[] = {317, 253, 253, 253, 253, 127, 253, 253, 317};
static_assert(std::size(kTopicBytes) == std::size(kTopicKeys));

}  // namespace podium::explain

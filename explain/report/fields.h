// Fields: the names under which the members of a value are written in JSON.
//
// Each type of a report has one list of its fields (Fields<T>). All code that visits a report uses these
// lists: writing, reading, the paths that the CRD must have, cutting long texts, withholding node names. A
// new field is a member and a line in its type's list.
//
// Threads: constants. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace podium::explain {

// The subject of a text; the items of a list share it.
enum class Meaning : std::uint8_t {
  value,   // an outcome, a code, the name of a pod
  text,    // a sentence of any length, which may contain node names
  name,    // of a plugin or a resource; of any length
  node,    // the name of a node
  domain,  // a value of a topology key: a place, or the name of a node
};

// The most that the CRD allows. podium never writes more: the API server would refuse the whole report.
struct CrdBound {
  std::uint32_t bytes = 0;  // of a text, or of each item of a list; 0: as its meaning has it
  std::uint32_t items = 0;  // of a list
};
constexpr std::size_t most_bytes(Meaning meaning, CrdBound bound) {
  return bound.bytes > 0 ? bound.bytes : meaning == Meaning::text ? 1024 : 253;
}

// A member that the JSON omits if it is empty: "", 0, false, nullopt, an empty list.
template <typename Owner, typename Type>
struct Field {
  const char* name;
  Type Owner::* member;
  Meaning meaning = Meaning::value;
  CrdBound bound = {};
  bool is_required = false;
};
template <typename Owner, typename Type>
consteval auto field(const char* name, Type Owner::* member, Meaning meaning, CrdBound bound = {}) {
  return Field<Owner, Type>{name, member, meaning, bound};
}
template <typename Owner, typename Type>
consteval auto field(const char* name, Type Owner::* member, CrdBound bound = {}) {
  return field(name, member, Meaning::value, bound);
}
// A member that is always written.
template <typename Owner, typename Type>
consteval auto required(const char* name, Type Owner::* member, Meaning meaning, CrdBound bound = {}) {
  return Field<Owner, Type>{name, member, meaning, bound, true};
}
template <typename Owner, typename Type>
consteval auto required(const char* name, Type Owner::* member, CrdBound bound = {}) {
  return required(name, member, Meaning::value, bound);
}

// A number that is a string in JSON, as resourceVersions are.
template <typename Owner>
struct Numeral {
  const char* name;
  std::uint64_t Owner::* member;
};
template <typename Owner>
consteval auto numeral(const char* name, std::uint64_t Owner::* member) {
  return Numeral<Owner>{name, member};
}

// A list that is cut at a bound, and the true number. Both are omitted if the number is 0.
template <typename Owner, typename Type>
struct Counted {
  const char* name;
  std::vector<Type> Owner::* member;
  const char* total_name;
  std::size_t Owner::* total;
  Meaning meaning = Meaning::value;
  CrdBound bound = {};
};
template <typename Owner, typename Type>
consteval auto counted(const char* name, std::vector<Type> Owner::* member, const char* total_name,
                       std::size_t Owner::* total, Meaning meaning, CrdBound bound = {}) {
  return Counted<Owner, Type>{name, member, total_name, total, meaning, bound};
}
template <typename Owner, typename Type>
consteval auto counted(const char* name, std::vector<Type> Owner::* member, const char* total_name,
                       std::size_t Owner::* total, CrdBound bound = {}) {
  return counted(name, member, total_name, total, Meaning::value, bound);
}

// A list of members, as a function that shows each to a visitor. It is not a std::tuple: to check the types
// of tuples took a tenth of the compilation of each file that includes a report.
template <typename... Members>
consteval auto showing(Members... members) {
  return [=](auto&& see) { (see(members), ...); };
}
template <typename Show>
struct FieldList {
  Show show_to;

  template <typename... Members>
  consteval FieldList(Members... members) : show_to(showing(members...)) {}
};
template <typename... Members>
FieldList(Members...) -> FieldList<decltype(showing(std::declval<Members>()...))>;

// Fields that are a separate object in JSON only. The object is omitted if no field is written.
template <typename List>
struct Group {
  const char* name;
  List fields;
};
template <typename... Members>
consteval auto group(const char* name, Members... members) {
  return Group{name, FieldList{members...}};
}

// A part whose fields belong to the owner's object. Reading sets it if one of the fields is present.
template <typename Owner, typename Part>
struct Inlined {
  std::optional<Part> Owner::* member;
};
template <typename Owner, typename Part>
consteval auto inlined(std::optional<Part> Owner::* member) {
  return Inlined<Owner, Part>{member};
}

// A value derived from the other fields: written only.
template <typename Owner, typename Result>
struct Derived {
  const char* name;
  Result (*of)(const Owner&);
};
template <typename Owner, typename Result>
consteval auto derived(const char* name, Result (*of)(const Owner&)) {
  return Derived<Owner, Result>{name, of};
}

// Fields that are not in a list: those of a fix's type.
template <typename Owner, typename Object>
struct Rest {
  Object Owner::* member;
};
template <typename Owner, typename Object>
consteval auto rest(Object Owner::* member) {
  return Rest<Owner, Object>{member};
}

// The list of a type's fields: `static constexpr FieldList all{…}`.
template <typename T>
struct Fields;

template <typename T>
concept HasFields = requires { Fields<T>::all; };

}  // namespace podium::explain

#include "explain/report/visits.h"

#include <algorithm>
#include <concepts>

#include "explain/report/each_field.h"

namespace podium::explain {
namespace {

template <typename T>
void add_paths(const std::string& above, std::vector<std::string>& out);

template <typename Type>
void add_paths_of(const std::string& path, std::vector<std::string>& out) {
  if constexpr (std::same_as<Type, framework::Topics>) {
    for (const auto* key : kTopicKeys) out.push_back(path + "." + key);
  } else if constexpr (Optional<Type> || ListField<Type>) {
    add_paths_of<typename Type::value_type>(path, out);
  } else {
    if constexpr (HasFields<Type>) add_paths<Type>(path, out);
  }
}

struct Paths {
  const std::string& above;
  std::vector<std::string>& out;

  std::string add(const char* name) const { return out.emplace_back(above + "." + name); }

  template <typename Owner, typename Type>
  void operator()(const Field<Owner, Type>& field) const {
    add_paths_of<Type>(add(field.name), out);
  }
  template <typename Owner>
  void operator()(const Numeral<Owner>& field) const {
    add(field.name);
  }
  template <typename Owner, typename Type>
  void operator()(const Counted<Owner, Type>& field) const {
    add_paths_of<Type>(add(field.name), out);
    add(field.total_name);
  }
  template <typename List>
  void operator()(const Group<List>& group) const {
    const auto path = add(group.name);
    each_field(group, Paths{path, out});
  }
  template <typename Owner, typename Part>
  void operator()(const Inlined<Owner, Part>&) const {
    each_field<Part>(*this);
  }
  template <typename Owner, typename Result>
  void operator()(const Derived<Owner, Result>& field) const {
    add_paths_of<Result>(add(field.name), out);
  }
  template <typename Owner, typename Object>
  void operator()(const Rest<Owner, Object>&) const {}
};

template <typename T>
void add_paths(const std::string& above, std::vector<std::string>& out) {
  each_field<T>(Paths{above, out});
}

using See = std::function<void(Meaning, std::string&)>;

template <typename T>
void see_texts(T& owner, const See& see);

template <typename T>
void see_texts_of(T& value, Meaning meaning, const See& see) {
  if constexpr (Optional<T>) {
    if (value) see_texts_of(*value, meaning, see);
  } else if constexpr (std::same_as<T, framework::Topics>) {
    for (auto& [topic, name] : value)
      see(topic == framework::Topic::resource ? Meaning::name : Meaning::value, name);
  } else if constexpr (ListField<T>) {
    for (auto& one : value) see_texts_of(one, meaning, see);
  } else if constexpr (HasFields<T>) {
    see_texts(value, see);
  } else if constexpr (std::same_as<T, std::string>) {
    see(meaning, value);
  }
}

template <typename T>
struct Texts {
  T& owner;
  const See& see;

  template <typename Type>
  void operator()(const Field<T, Type>& field) const {
    see_texts_of(owner.*field.member, field.meaning, see);
  }
  template <typename Type>
  void operator()(const Counted<T, Type>& field) const {
    see_texts_of(owner.*field.member, field.meaning, see);
  }
  template <typename List>
  void operator()(const Group<List>& group) const {
    each_field(group, *this);
  }
  template <typename Part>
  void operator()(const Inlined<T, Part>& field) const {
    if (owner.*field.member) see_texts(*(owner.*field.member), see);
  }
  // Numerals and derived fields have no text, and the fields of a fix are not podium's texts.
  template <typename Other>
  void operator()(const Other&) const {}
};

template <typename T>
void see_texts(T& owner, const See& see) {
  each_field<T>(Texts<T>{owner, see});
}

}  // namespace

std::span<const std::string> status_paths() {
  static const auto kPaths = [] {
    std::vector<std::string> out{"status"};
    add_paths<ReportStatus>("status", out);
    std::ranges::sort(out);
    return out;
  }();
  return kPaths;
}

void each_text(ReportStatus& status, const See& see) { see_texts(status, see); }

std::vector<FirstFailure*> failures_of(ReportAnswer& answer) {
  std::vector<FirstFailure*> out;
  if (answer.first_failure) out.push_back(&*answer.first_failure);
  if (answer.room && answer.room->first_failure) out.push_back(&*answer.room->first_failure);
  if (answer.stuck_rollout) out.push_back(&answer.stuck_rollout->first_failure);
  return out;
}

}  // namespace podium::explain

#include "app/config/config_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string_view>
#include <utility>

#include "api/text/json_view.h"

namespace podium::app {
namespace {

namespace json = boost::json;

// The fields that name the entries of a configuration's lists.
constexpr std::string_view kKeys[] = {"schedulerName", "name", "urlPrefix"};

std::optional<std::string> value_text(const json::value* value) {
  if (!value || value->is_null()) return std::nullopt;
  return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
}

// Empty: the entry has no name.
std::string key_of(const json::value& entry) {
  for (const auto key : kKeys) {
    if (auto text = api::text_at(entry, fmt::format("/{}", key)); !text.empty()) return std::string(text);
  }
  return {};
}

std::vector<std::string> keys_of(const json::array& list) {
  std::vector<std::string> out;
  for (const auto& entry : list) {
    auto key = key_of(entry);
    if (key.empty() || std::ranges::find(out, key) != out.end()) return {};
    out.push_back(std::move(key));
  }
  return out;
}

class Comparing {
 public:
  void compare(const std::string& path, const json::value* a, const json::value* b) {
    if (a && b && *a == *b) return;
    if (a && b && a->is_object() && b->is_object()) {
      compare_objects(path, a->get_object(), b->get_object());
    } else if (a && b && a->is_array() && b->is_array() && has_keys(a->get_array(), b->get_array())) {
      compare_lists(path, a->get_array(), b->get_array());
    } else if (auto before = value_text(a), after = value_text(b); before || after) {
      out_.push_back({path, std::move(before), std::move(after)});
    }
  }
  std::vector<ConfigChange> take() { return std::move(out_); }

 private:
  static bool has_keys(const json::array& a, const json::array& b) {
    return keys_of(a).size() == a.size() && keys_of(b).size() == b.size();
  }

  void compare_objects(const std::string& path, const json::object& a, const json::object& b) {
    const auto below = [&](std::string_view name) {
      return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
    };
    for (const auto& [name, value] : a) compare(below(name), &value, b.if_contains(name));
    for (const auto& [name, value] : b) {
      if (!a.contains(name)) compare(below(name), nullptr, &value);
    }
  }

  void compare_lists(const std::string& path, const json::array& a, const json::array& b) {
    const auto old_keys = keys_of(a), new_keys = keys_of(b);
    std::vector<std::string> old_order, new_order;  // of the entries of both
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto found = std::ranges::find(new_keys, old_keys[i]);
      if (found != new_keys.end()) old_order.push_back(old_keys[i]);
      compare(fmt::format("{}[{}]", path, old_keys[i]), &a[i],
              found == new_keys.end() ? nullptr : &b[static_cast<std::size_t>(found - new_keys.begin())]);
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (std::ranges::find(old_keys, new_keys[i]) == old_keys.end())
        compare(fmt::format("{}[{}]", path, new_keys[i]), nullptr, &b[i]);
      else
        new_order.push_back(new_keys[i]);
    }
    if (old_order != new_order)
      out_.push_back({path + " (order)", fmt::format("{}", fmt::join(old_order, ", ")),
                      fmt::format("{}", fmt::join(new_order, ", "))});
  }

  std::vector<ConfigChange> out_;
};

}  // namespace

std::vector<ConfigChange> config_changes(const json::value& old_view, const json::value& new_view) {
  Comparing comparing;
  comparing.compare("", &old_view, &new_view);
  return comparing.take();
}

}  // namespace podium::app

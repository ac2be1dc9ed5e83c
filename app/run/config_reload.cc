#include "app/run/config_reload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json/object.hpp>
#include <set>

#include "log/log.h"

namespace podium::app::run {
namespace {

namespace json = boost::json;

const json::value& member(const json::object& object, std::string_view name) {
  static const json::value none;
  const auto* found = object.if_contains(name);
  return found ? *found : none;
}

// The names of the members that differ, each after `prefix`.
void add_differences(const json::object& before, const json::object& after, const std::string& prefix,
                     std::vector<std::string>& out) {
  std::set<std::string> names;
  for (const auto* object : {&before, &after}) {
    for (const auto& [name, value] : *object) names.emplace(name);
  }
  for (const auto& name : names) {
    if (member(before, name) != member(after, name)) out.push_back(prefix + name);
  }
}

}  // namespace

std::vector<std::string> needs_restart(const config::Config& before, const config::Config& after) {
  std::vector<std::string> out;
  add_differences(before.view.as_object(), after.view.as_object(), "", out);
  std::vector<std::string> parts;
  const auto& podium = before.podium_view.as_object();
  const auto& next = after.podium_view.as_object();
  add_differences(podium, next, "", parts);
  for (const auto& part : parts) {
    if (part == "reports" || part == "events") continue;
    if (podium.contains(part) && podium.at(part).is_object()) {
      add_differences(podium.at(part).as_object(), next.at(part).as_object(), part + ".", out);
    } else {
      out.push_back(part);
    }
  }
  return out;
}

ConfigReload::ConfigReload(std::string file, const config::Config& running, Load load, Apply apply)
    : file_(std::move(file)),
      running_(running),
      apply_(std::move(apply)),
      in_force_(running.podium_view),
      reload_({file_}, std::move(load), [this](const Result<config::Config>& loaded) { take(loaded); }) {}

void ConfigReload::start(async::Gate& gate, boost::asio::any_io_executor io,
                         boost::asio::any_io_executor files) {
  if (file_.empty()) return;
  async::spawn(gate, std::move(io), "watch the configuration", reload_.run(&reload_, std::move(files)));
}

void ConfigReload::take(const Result<config::Config>& loaded) {
  if (!loaded) {
    log::warn("configuration not reloaded, keeping the old one error={:?}", loaded.error().message);
    return;
  }
  auto names = needs_restart(running_, *loaded);
  if (!names.empty() && names != named_)
    log::warn("changed settings take effect at the next start settings={}", fmt::join(names, ","));
  named_ = std::move(names);
  if (loaded->podium_view == in_force_) return;
  in_force_ = loaded->podium_view;
  apply_(loaded->podium);
  log::info("configuration reloaded file={}", file_);
}

}  // namespace podium::app::run

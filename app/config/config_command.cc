#include "app/config/config_command.h"

#include <optional>
#include <ostream>
#include <utility>

#include "api/yaml.h"
#include "scheduler/config/config.h"

namespace podium::app {
namespace {

constexpr int kDone = 0;
constexpr int kWrongInput = 2;

std::optional<config::Config> load(const std::string& file, std::ostream& err) {
  auto loaded = config::load_file(file);
  if (!loaded) {
    err << loaded.error().message << '\n';
    return std::nullopt;
  }
  for (const auto& warning : loaded->warnings) err << "warning: " << warning << '\n';
  return std::move(*loaded);
}

}  // namespace

int config_validate(const std::string& file, std::ostream& out, std::ostream& err) {
  if (!load(file, err)) return kWrongInput;
  out << file << ": valid\n";
  return kDone;
}

int config_view(const std::string& file, std::ostream& out, std::ostream& err) {
  const auto loaded = load(file, err);
  if (!loaded) return kWrongInput;
  out << api::to_yaml(loaded->view) << "---\n" << api::to_yaml(loaded->podium_view);
  return kDone;
}

}  // namespace podium::app

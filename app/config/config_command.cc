#include "app/config/config_command.h"

#include <optional>
#include <ostream>
#include <utility>

#include "api/text/yaml.h"
#include "scheduler/config/load.h"

namespace podium::app {
namespace {

constexpr int kDone = 0;
constexpr int kWrongInput = 2;

std::optional<config::Config> load(const ConfigOptions& options, std::ostream& err) {
  const auto gates = config::parse_feature_gates(options.feature_gates);
  if (!gates) {
    err << gates.error().message << '\n';
    return std::nullopt;
  }
  auto loaded = config::load_file(options.file, {*gates, options.plugins});
  if (!loaded) {
    err << loaded.error().message << '\n';
    return std::nullopt;
  }
  for (const auto& warning : loaded->warnings) err << "warning: " << warning << '\n';
  return std::move(*loaded);
}

}  // namespace

int config_validate(const ConfigOptions& options, std::ostream& out, std::ostream& err) {
  if (!load(options, err)) return kWrongInput;
  out << options.file << ": valid\n";
  return kDone;
}

int config_view(const ConfigOptions& options, std::ostream& out, std::ostream& err) {
  const auto loaded = load(options, err);
  if (!loaded) return kWrongInput;
  out << api::to_yaml(loaded->view) << "---\n" << api::to_yaml(loaded->podium_view);
  return kDone;
}

}  // namespace podium::app

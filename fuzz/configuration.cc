// A configuration file: what is loaded, shown and loaded again is the same.
#include <string>

#include "api/text/yaml.h"
#include "fuzz/driver/require.h"
#include "fuzz/fuzzers.h"
#include "fuzz/output_checks.h"
#include "scheduler/config/load.h"
#include "scheduler/config/schema/redaction.h"
#include "scheduler/framework/profile.h"

namespace podium::fuzz {

void configuration(std::string_view input) {
  if (input.empty()) return;
  const auto loaded = config::load(input, "input");
  if (!loaded) {
    require(!loaded.error().message.empty(), "a refusal says why");
    require(is_utf8(loaded.error().message) || !is_utf8(input), "an error is UTF-8", loaded.error().message);
    return;
  }
  require(!loaded->profiles.empty(), "a configuration has a profile");
  for (const auto& profile : loaded->profiles)
    require(!profile->scheduler_name.empty(), "a profile has a name");
  // As `podium config view` prints it.
  const auto shown = api::to_yaml(loaded->view) + "---\n" + api::to_yaml(loaded->podium_view);
  const auto again = config::load(shown, "shown");
  require(again.has_value(), "what is shown can be loaded",
          again ? "" : again.error().message + "\n" + shown);
  auto view = api::to_yaml(again->view);
  if (planted() && loaded->parallelism > 50) view += "x";
  require(view == api::to_yaml(loaded->view), "the configuration stays the same", shown);
  require(api::to_yaml(again->podium_view) == api::to_yaml(loaded->podium_view),
          "podium's settings stay the same", shown);
  require(config::redacted(loaded->view).is_object(), "a configuration can be shown without its secrets");
}

}  // namespace podium::fuzz

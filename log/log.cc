#include "log/log.h"

#include <spdlog/spdlog.h>

#include "log/record.h"

namespace podium::log {

void write(Level level, fmt::string_view format, fmt::format_args args) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::trace, spdlog::level::debug,
                                                   spdlog::level::info,  spdlog::level::warn,
                                                   spdlog::level::err,   spdlog::level::critical};
  auto* logger = spdlog::default_logger_raw();
  const auto as = kLevels[static_cast<std::size_t>(level)];
  if (!logger || !logger->should_log(as)) return;
  logger->log(as, spdlog::string_view_t(make_record({format.data(), format.size()}, args)));
}

}  // namespace podium::log

// Captures log lines as "level text" during its lifetime. Threads: one at a time.
#pragma once

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>

#include "log/format.h"

namespace podium::unit {

class LogCapture {
 public:
  explicit LogCapture(spdlog::level::level_enum level = spdlog::level::info)
      : before_(spdlog::default_logger()) {
    auto logger =
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(out_));
    logger->set_formatter(log::text_formatter("%l %*"));
    logger->set_level(level);
    spdlog::set_default_logger(std::move(logger));
  }
  ~LogCapture() { spdlog::set_default_logger(before_); }
  LogCapture(const LogCapture&) = delete;

  int count(const std::string& words) const {
    const auto text = out_.str();
    int found = 0;
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
    return found;
  }

 private:
  std::ostringstream out_;
  std::shared_ptr<spdlog::logger> before_;
};

}  // namespace podium::unit

#include "simulate/base/object_fields.h"

#include <cstring>

#include "api/text/json_view.h"

namespace podium::simulate {

std::int64_t number_at(const json::value& value, std::string_view pointer) {
  return api::integer_at(value, pointer).value_or(0);
}

std::string uid_of(const json::value& object) { return api::text_at(object, "/metadata/uid"); }

std::string full_name(const json::value& object) {
  return api::text_at(object, "/metadata/namespace") + "/" + api::text_at(object, "/metadata/name");
}

bool is_leaving(const json::value& object) {
  return !api::text_at(object, "/metadata/deletionTimestamp").empty();
}

bool is_finished(const json::value& pod) {
  const auto phase = api::text_at(pod, "/status/phase");
  return phase == "Succeeded" || phase == "Failed";
}

bool is_what_if(const json::value& report) { return api::is_true_at(report, "/spec/dryRun"); }

std::size_t find_words(std::string_view text, std::string_view words, std::size_t from) {
  if (from > text.size()) return text.npos;
  const void* found = ::memmem(text.data() + from, text.size() - from, words.data(), words.size());
  return found ? static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) : text.npos;
}

bool is_engine(std::string_view writer) { return writer.starts_with("podium"); }

}  // namespace podium::simulate

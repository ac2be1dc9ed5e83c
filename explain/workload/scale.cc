#include "explain/workload/scale.h"

#include <algorithm>
#include <charconv>
#include <ranges>
#include <string_view>

#include "api/text/json_view.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

constexpr std::int64_t kMostScaled = 1'000'000'000;

std::string group_name(const std::string& api_version) {
  const auto slash = api_version.find('/');
  return slash == std::string::npos ? std::string() : api_version.substr(0, slash);
}

bool scales(const json::value& autoscaler, const json::value& workload, const std::string& ns) {
  const auto target = [&](const char* field) {
    return api::text_at(autoscaler, std::string("/spec/scaleTargetRef/") + field);
  };
  const auto of = api::text_at(autoscaler, "/metadata/namespace");
  return (of.empty() || of == ns) && target("kind") == api::text_at(workload, "/kind") &&
         target("name") == api::text_at(workload, "/metadata/name") &&
         group_name(target("apiVersion")) == group_name(api::text_at(workload, "/apiVersion"));
}

std::int32_t count_at(const json::value& autoscaler, const char* pointer, std::int32_t or_else) {
  const auto count = api::integer_at(autoscaler, pointer).value_or(or_else);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(count, 1, kMostScaled));
}

// A number of the object that is not negative; nullopt: it is not set.
std::optional<std::int64_t> number_at(const json::value& object, std::string_view pointer) {
  const auto number = api::integer_at(object, pointer);
  return number ? std::optional(std::clamp<std::int64_t>(*number, 0, kMostScaled)) : std::nullopt;
}

// How many numbers a list of them has: 4 of "1,3-5". A part that is not a number or a range counts as none.
std::int64_t count_indexes(std::string_view list) {
  std::int64_t count = 0;
  for (const auto part : std::views::split(list, ',')) {
    const std::string_view text(part.begin(), part.end());
    const auto dash = std::min(text.find('-'), text.size());
    const auto read = [](std::string_view digits) -> std::optional<std::int64_t> {
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
      return is_whole && number >= 0 && number <= kMostScaled ? std::optional(number) : std::nullopt;
    };
    const auto first = read(text.substr(0, dash));
    const auto last = dash == text.size() ? first : read(text.substr(dash + 1));
    if (first && last && *last >= *first) count = std::min(kMostScaled, count + *last - *first + 1);
  }
  return count;
}

constexpr std::string_view kReplicas = "/spec/replicas";

// The field that says how many pods the workload has at the same time.
std::string_view scale_of(const json::value& workload) {
  const auto kind = api::text_at(workload, "/kind");
  return kind == "Job"       ? "/spec/parallelism"
         : kind == "CronJob" ? "/spec/jobTemplate/spec/parallelism"
                             : kReplicas;
}

}  // namespace

std::int32_t Autoscaler::replicas(std::int32_t of_workload) const {
  return of_workload == 0 ? 0 : std::clamp(of_workload, least, most);
}

std::optional<Autoscaler> autoscaler_of(const json::value& workload, const std::string& ns,
                                        const std::vector<json::value>& autoscalers) {
  for (const auto& each : autoscalers) {
    if (!scales(each, workload, ns)) continue;
    const auto least = count_at(each, "/spec/minReplicas", 1);
    return Autoscaler{.name = api::text_at(each, "/metadata/name"),
                      .least = least,
                      .most = std::max(least, count_at(each, "/spec/maxReplicas", least))};
  }
  return std::nullopt;
}

namespace {

// Its controller creates no pod, and the Job is complete.
bool has_no_completions(const json::value& workload) {
  return api::text_at(workload, "/kind") == "Job" && api::integer_at(workload, "/spec/completions") == 0;
}

}  // namespace

bool has_no_replicas(const json::value& workload) {
  return api::integer_at(workload, scale_of(workload)) == 0 || has_no_completions(workload);
}

std::string no_replicas_words(const json::value& workload) {
  if (has_no_completions(workload)) return "has completions 0, so it needs no pod";
  return scale_of(workload) == kReplicas ? "has 0 replicas" : "has parallelism 0, so it is paused";
}

bool is_suspended(const json::value& workload, bool is_new) {
  const bool is_paused = is_new && api::text_at(workload, "/kind") == "Deployment";
  return api::is_true_at(workload, is_paused ? "/spec/paused" : "/spec/suspend");
}

bool has_ended(const json::value& workload) {
  const auto* conditions = api::find_at(workload, "/status/conditions");
  if (api::text_at(workload, "/kind") != "Job" || !conditions || !conditions->is_array()) return false;
  return std::ranges::any_of(conditions->get_array(), [](const json::value& condition) {
    const auto type = api::text_at(condition, "/type");
    return (type == "Complete" || type == "Failed") && api::text_at(condition, "/status") == "True";
  });
}

std::int32_t pods_of_job(const json::value& job) {
  const auto parallelism = number_at(job, "/spec/parallelism").value_or(1);
  const auto succeeded = number_at(job, "/status/succeeded").value_or(0);
  const auto completions = number_at(job, "/spec/completions");
  if (!completions && succeeded > 0)
    return static_cast<std::int32_t>(number_at(job, "/status/active").value_or(0));
  const auto failed = count_indexes(api::text_at(job, "/status/failedIndexes"));
  const auto left = completions.value_or(parallelism) - succeeded - failed;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(left, 0, parallelism));
}

std::string suspended_words(const json::value& workload) {
  return api::text_at(workload, "/kind") == "Deployment" ? "is paused" : "is suspended";
}

}  // namespace podium::explain

#include "app/run/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/clock.h"
#include "metrics/families.h"

namespace podium::app::run {
namespace {

using prometheus::MetricFamily;

// client-go labels the metric with this name for a Lease of any name.
constexpr auto kLease = "kube-scheduler";

const std::vector<double> kBytes{64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216};

void add(std::vector<MetricFamily>& out, const char* name, const char* help, prometheus::MetricType type,
         double value) {
  prometheus::ClientMetric metric;
  if (type == prometheus::MetricType::Counter)
    metric.counter.value = value;
  else
    metric.gauge.value = value;
  out.push_back({name, help, type, {std::move(metric)}});
}

// Bytes received and sent in the network namespace, counted by the IP layer; omitted if /proc lacks them.
void add_network(std::vector<MetricFamily>& out) {
  std::ifstream file("/proc/self/net/netstat");
  for (std::string names, values; std::getline(file, names) && std::getline(file, values);) {
    if (!names.starts_with("IpExt:")) continue;
    std::istringstream name_words(names), value_words(values);
    for (std::string name, value; name_words >> name && value_words >> value;) {
      const auto bytes = std::strtod(value.c_str(), nullptr);
      if (name == "InOctets") {
        add(out, "process_network_receive_bytes_total", "Bytes received over the network.",
            prometheus::MetricType::Counter, bytes);
      } else if (name == "OutOctets") {
        add(out, "process_network_transmit_bytes_total", "Bytes sent over the network.",
            prometheus::MetricType::Counter, bytes);
      }
    }
  }
}

// The fields of /proc/self/stat from the third on. Skips the second, the program's name, which
// may have spaces.
std::vector<double> stat_fields() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(text.substr(name_end + 1));
  std::vector<double> fields;
  for (std::string field; rest >> field;) fields.push_back(std::strtod(field.c_str(), nullptr));
  return fields;
}

double boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;) {
    double seconds = 0;
    if (word == "btime" && file >> seconds) return seconds;
  }
  return 0;
}

}  // namespace

ProcessMetrics::ProcessMetrics(prometheus::Registry& registry)
    : requests_(metrics::counters(registry, "rest_client_requests_total",
                                  "Requests to API servers, by status code (or <error>), method and host."),
                {"code", "method", "host"}),
      retries_(metrics::counters(registry, "rest_client_request_retries_total",
                                 "Retried requests, by the outcome of the previous attempt."),
               {"code", "verb", "host"}),
      request_seconds_(metrics::histograms(registry, "rest_client_request_duration_seconds",
                                           "Duration of requests to API servers, by verb and host."),
                       {"verb", "host"},
                       {0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0}),
      request_bytes_(metrics::histograms(registry, "rest_client_request_size_bytes",
                                         "Size of the bodies of requests to API servers, by verb and host."),
                     {"verb", "host"}, kBytes),
      reply_bytes_(metrics::histograms(registry, "rest_client_response_size_bytes",
                                       "Size of the bodies of API servers' replies, by verb and host."),
                   {"verb", "host"}, kBytes),
      leader_(metrics::gauges(registry, "leader_election_master_status",
                              "1 if this process is the leader, else 0."),
              {"name"}),
      gates_(metrics::gauges(registry, "kubernetes_feature_enabled",
                             "1 if the feature gate is enabled, else 0."),
             {"name", "stage"}) {}

void ProcessMetrics::request(const std::string& host, const client::Exchange& exchange) {
  const auto code = [](int status) { return status ? std::to_string(status) : std::string("<error>"); };
  const std::lock_guard lock(mutex_);
  requests_.with(code(exchange.status), exchange.method, host).Increment();
  if (exchange.retries) retries_.with(code(*exchange.retries), exchange.method, host).Increment();
  request_seconds_.with(exchange.method, host).Observe(in_seconds(exchange.duration));
  const auto size = [&](metrics::Histograms& sizes, std::optional<std::size_t> bytes) {
    if (bytes) sizes.with(exchange.method, host).Observe(static_cast<double>(*bytes));
  };
  size(request_bytes_, exchange.request_bytes);
  size(reply_bytes_, exchange.reply_bytes);
}

void ProcessMetrics::gates(const config::FeatureGates& gates) {
  static constexpr std::string_view kStages[] = {"ALPHA", "BETA", "", "DEPRECATED"};
  const std::lock_guard lock(mutex_);
  for (const auto& [name, stage, on] : gates.values) {
    gates_.with(name, kStages[static_cast<std::size_t>(stage)]).Set(on ? 1 : 0);
  }
}

void ProcessMetrics::leads(bool leads) {
  const std::lock_guard lock(mutex_);
  leader_.with(std::string_view(kLease)).Set(leads ? 1 : 0);
}

// Field numbers as in proc(5): 14 utime, 15 stime, 22 starttime, 23 vsize, 24 rss.
std::vector<MetricFamily> ProcessMetrics::of_process() {
  using enum prometheus::MetricType;
  std::vector<MetricFamily> out;
  const auto fields = stat_fields();
  const auto field = [&](std::size_t number) { return fields[number - 3]; };
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  if (fields.size() > 24 - 3) {
    add(out, "process_cpu_seconds_total", "CPU time used by the process.", Counter,
        (field(14) + field(15)) / ticks);
    add(out, "process_start_time_seconds", "Start time of the process, in Unix time.", Gauge,
        boot_time() + field(22) / ticks);
    add(out, "process_virtual_memory_bytes", "Virtual memory of the process.", Gauge, field(23));
    add(out, "process_resident_memory_bytes", "Resident memory of the process.", Gauge,
        field(24) * static_cast<double>(sysconf(_SC_PAGESIZE)));
  }
  std::error_code unreadable;
  const std::filesystem::directory_iterator open_files("/proc/self/fd", unreadable);
  if (!unreadable) {
    add(out, "process_open_fds", "Open file descriptors.", Gauge,
        static_cast<double>(std::distance(begin(open_files), end(open_files))));
  }
  if (rlimit limit{}; getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    add(out, "process_max_fds", "Maximum number of open file descriptors.", Gauge,
        static_cast<double>(limit.rlim_cur));
  }
  if (rlimit limit{}; getrlimit(RLIMIT_AS, &limit) == 0) {
    add(out, "process_virtual_memory_max_bytes", "Maximum virtual memory of the process.", Gauge,
        static_cast<double>(limit.rlim_cur));
  }
  add_network(out);
  return out;
}

}  // namespace podium::app::run

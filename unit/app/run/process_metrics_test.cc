// The metrics of requests, as component-base has them.
#include "app/run/process_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

namespace podium::app::run {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ProcessMetrics, ARequestIsCountedTimedAndMeasured) {
  prometheus::Registry registry;
  ProcessMetrics metrics(registry);
  metrics.request("host:1", {.method = "POST",
                             .target = "/a",
                             .status = 201,
                             .duration = std::chrono::milliseconds(500),
                             .request_bytes = 300,
                             .reply_bytes = 70});
  metrics.request("host:1", {.method = "GET", .target = "/watch", .retries = 503});
  const auto text = prometheus::TextSerializer().Serialize(registry.Collect());
  for (const char* line : {"rest_client_requests_total{code=\"201\",host=\"host:1\",method=\"POST\"} 1\n",
                           "rest_client_requests_total{code=\"<error>\",host=\"host:1\",method=\"GET\"} 1\n",
                           "rest_client_request_retries_total{code=\"503\",host=\"host:1\",verb=\"GET\"} 1\n",
                           "rest_client_request_duration_seconds_sum{host=\"host:1\",verb=\"POST\"} 0.5\n",
                           "rest_client_request_size_bytes_sum{host=\"host:1\",verb=\"POST\"} 300\n",
                           "rest_client_response_size_bytes_sum{host=\"host:1\",verb=\"POST\"} 70\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("rest_client_request_size_bytes_count{host=\"host:1\",verb=\"GET\"")))
      << "a stream has no size";
}

}  // namespace
}  // namespace podium::app::run

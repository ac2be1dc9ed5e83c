// The schedule of a CronJob, as the API server accepts it.
//
// Threads: pure functions. Errors: a text.
// Source: github.com/robfig/cron/v3 (Parser, ParseStandard), which pkg/apis/batch/validation calls.
#pragma once

#include <string>
#include <string_view>

namespace podium::explain {

// "end of range (61) above maximum (59): 61", in cron's words. Empty: the schedule is valid.
std::string schedule_error(std::string_view schedule);

}  // namespace podium::explain

// UserLimits: bounds the requests of a user: those in progress, and those per second.
//
// A bucket of tokens for each user, which fills with time, and a bound for all users together. Remembers a
// bounded number of users; a forgotten user starts with a full bucket.
// Owner: the server of the requests; outlives the slots. Threads: one at a time, slots included.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "base/clock.h"

namespace podium::server {

class UserLimits {
 public:
  struct Options {
    double per_second = 10, burst = 20;         // of one user
    std::size_t active = 4, active_in_all = 8;  // in progress
    std::size_t users = 4096;                   // remembered
  };
  // A request in progress, until the last copy is gone.
  using Slot = std::shared_ptr<void>;
  struct Admission {
    Slot slot;                            // null: refused
    std::string why;                      // the reason of the refusal
    std::chrono::seconds retry_after{0};  // at least 1 if refused
  };

  explicit UserLimits(Options options) : options_(options) {}
  UserLimits(const UserLimits&) = delete;

  Admission admit(const std::string& user, Steady now);
  std::size_t users() const { return users_.size(); }
  std::size_t in_progress() const { return in_progress_; }

 private:
  struct User {
    double tokens = 0;
    Steady filled{};
    std::size_t in_progress = 0;
  };
  User& find(const std::string& name, Steady now);
  double tokens(const User& user, Steady now) const;
  void forget_some(Steady now);

  const Options options_;
  std::map<std::string, User> users_;
  std::size_t in_progress_ = 0;
};

}  // namespace podium::server

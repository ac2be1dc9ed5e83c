#include "controller/what_if/asker.h"

#include <boost/asio/post.hpp>
#include <chrono>
#include <future>
#include <memory>

#include "explain/answer/answer.h"

namespace podium::controller {
namespace {

constexpr std::chrono::milliseconds kStopCheck{50};

}  // namespace

explain::ReportStatus Asker::answer(const explain::Question& question, cluster::Snapshot snapshot,
                                    const api::AdmissionObjects& objects,
                                    const std::vector<cluster::PodInfoPtr>& waiting, Slices& slices) const {
  const auto decided_at = clock_.wall();
  const auto began = clock_.now();
  const explain::Budget budget = [&] { return slices.go_on(); };
  auto status = explain::answer(question, std::move(snapshot), config_, budget, objects, waiting);
  status.decided_at = decided_at;
  status.evaluate = clock_.now() - began;
  return status;
}

async::Task<std::vector<cluster::PodInfoPtr>> Asker::waiting_for(
    Asker* self, std::shared_ptr<const explain::Question> question) {
  if (!self->waiting_ || !explain::needs_waiting(*question, self->config_))
    co_return std::vector<cluster::PodInfoPtr>();
  co_return co_await self->waiting_();
}

async::Task<std::optional<Asker::Referred>> Asker::refer(std::shared_ptr<const explain::Question> question,
                                                         std::string json, Steady until) {
  auto ns = question->meta.namespace_;
  std::function<Referred()> reading = [question, json = std::move(json)]() -> Referred {
    auto out = std::make_shared<explain::Question>(*question);
    if (auto read = explain::read_subject(json, *out); !read) return std::unexpected(read.error());
    return out;
  };
  co_return co_await run<Referred>(std::move(ns), std::move(reading), until);
}

bool Asker::Slices::go_on() {
  const auto slice = used();
  if (slice >= kSlice && turn_.is_wanted()) pause();
  return charged_ + slice < asker_.config_.podium.what_if.deadline && !asker_.stopped();
}

// The promise is kept on the I/O thread, which also ends all pauses when the process stops.
void Asker::Slices::pause() {
  const auto slice = used();
  auto resumed = std::make_shared<std::promise<void>>();
  auto resumes = resumed->get_future();
  boost::asio::post(
      io_, [turn = &turn_, slice, resumed] { turn->pause(slice, [resumed] { resumed->set_value(); }); });
  charged_ += slice;
  while (resumes.wait_for(kStopCheck) != std::future_status::ready && !asker_.stopped()) {
  }
}

explain::ReportStatus Asker::out_of_time() const {
  auto status = explain::declined(explain::kDeadlineExceeded, kNoThread);
  status.decided_at = clock_.wall();
  return status;
}

}  // namespace podium::controller

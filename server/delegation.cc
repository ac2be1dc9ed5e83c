#include "server/delegation.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/random.h"

namespace podium::server {
namespace {

// As client-go's review clients: enough for scrapers, and a bound on the load that others cause.
constexpr double kReviewsPerSecond = 200, kReviewBurst = 400;

}  // namespace

Delegation::Delegation(async::Gate& gate, boost::asio::any_io_executor executor,
                       boost::asio::any_io_executor files, Clock& clock, Random& random, Reviewers reviewers,
                       DelegationOptions options)
    : options_(std::move(options)),
      reviewers_(std::move(reviewers)),
      gate_(gate),
      executor_(std::move(executor)),
      files_(std::move(files)),
      authentication_(reviewers_.authentication, clock, random, kReviewsPerSecond, kReviewBurst),
      authorization_(reviewers_.authorization, clock, random, kReviewsPerSecond, kReviewBurst),
      tokens_(authentication_, shares_, options_.token_ttl),
      reviews_(authorization_, shares_, options_.allowed_ttl, options_.denied_ttl),
      file_ca_(options_.client_ca_file),
      cluster_ca_(gate, executor_, authentication_),
      clock_(clock) {}

Result<void> Delegation::load() {
  auto open = OpenPaths::parse(options_.always_allow_paths);
  if (!open) return std::unexpected(open.error());
  ClientCaSource* ca = options_.skip_lookup ? nullptr : &cluster_ca_;
  if (!options_.client_ca_file.empty()) {
    if (auto loaded = file_ca_.load(); !loaded) {
      loaded.error().message = "--client-ca-file: " + loaded.error().message;
      return loaded;
    }
    ca = &file_ca_;
  }
  access_.emplace(Access::Parts{clock_, std::move(*open), ca, &tokens_, &reviews_});
  return {};
}

void Delegation::start(std::function<void(const Error&)> fatal) {
  if (!options_.client_ca_file.empty()) return file_ca_.watch(gate_, executor_, files_);
  if (options_.skip_lookup) return;
  cluster_ca_.start([this, fatal = std::move(fatal)](const Result<void>& found) {
    if (!found && !options_.tolerate_lookup_failure) fatal(found.error());
  });
}

async::Task<AccessDecision> Delegation::admit(Request request, Attributes what) {
  PODIUM_CHECK(access_.has_value());
  return access_->admit(std::move(request), std::move(what));
}

async::Task<std::optional<Reply>> Delegation::refusal(Request request) {
  PODIUM_CHECK(access_.has_value());
  return access_->refusal(std::move(request));
}

void Delegation::disconnect() {
  reviewers_.authentication->close();
  reviewers_.authorization->close();
}

}  // namespace podium::server

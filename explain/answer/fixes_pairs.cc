// Pairs of changes, for the case that no single change helps.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "explain/answer/fix_kinds.h"

namespace podium::explain {
namespace {

constexpr std::size_t kMostConstraints = 12, kMostNodeFixesOfPairs = 8, kMostRequests = 6, kMostPairs = 6;
constexpr std::int64_t kThousandths = 1000;

boost::json::object as_change(Remedy remedy) {
  boost::json::object out{{"type", std::move(remedy.type)}};
  for (auto& [key, value] : remedy.fields) out[key] = std::move(value);
  return out;
}

Remedy pair_of(Remedy first, Remedy second, std::string message = {}) {
  if (message.empty()) message = fmt::format("{} and {}", first.message, second.message);
  boost::json::array changes{as_change(std::move(first)), as_change(std::move(second))};
  return {.type = "Pair", .fields = {{"changes", std::move(changes)}}, .message = std::move(message)};
}

// Searches for pairs. Its members are the kinds, in their order.
class Pairs {
 public:
  Pairs(const Trials& trials, Fixes& out) : trials_(trials), out_(out) {
    each_constraint(trials, true, [this](Remedy remedy) {
      is_whole_ = constraints_.size() < kMostConstraints;
      if (is_whole_) constraints_.push_back(std::move(remedy));
      return is_whole_;
    });
    nodes_ = uncordoned(trials);
    if (!trials.question().node)
      std::ranges::move(new_nodes(trials, kMostNodeFixesOfPairs), std::back_inserter(nodes_));
    requests_ = requests_of(trials.pod(), kMostRequests + 1);
    if (nodes_.size() >= kMostNodeFixesOfPairs || requests_.size() > kMostRequests) is_whole_ = false;
    requests_.resize(std::min(requests_.size(), kMostRequests));
  }

  bool try_all() {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      for (std::size_t j = i + 1; j < requests_.size() && has_room(); ++j)
        try_requests(requests_[i], requests_[j]);
    }
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      for (std::size_t j = i + 1; j < constraints_.size() && has_room(); ++j)
        try_two(constraints_[i], constraints_[j]);
    }
    for (const auto& constraint : constraints_) {
      for (const auto& request : requests_) try_with(constraint, request);
    }
    for (const auto& node : nodes_) {
      for (const auto& constraint : constraints_) try_two(constraint, node);
      for (const auto& request : requests_) try_with(node, request);
    }
    return is_whole_ && trials_.has_time();
  }

 private:
  bool has_room() const { return found_ < kMostPairs && trials_.has_time(); }

  void add(Remedy remedy, const Trials::Landing& landing) {
    ++found_;
    out_.add(std::move(remedy), landing);
  }

  void try_two(const Remedy& first, const Remedy& second) {
    if (!has_room()) return;
    if (const auto landing = trials_.with({&first, &second})) add(pair_of(first, second), *landing);
  }

  // The largest request with which the other change helps.
  std::optional<LeastValue> largest(const Remedy& other, const Request& request, std::int64_t from) const {
    return least_that_helps(trials_, request.now - from, [&](std::int64_t i) {
      const auto less = request_at_most(request, request.now - 1 - i);
      return trials_.with({&other, &less});
    });
  }

  void try_with(const Remedy& other, const Request& request) {
    if (!has_room()) return;
    const auto best = largest(other, request, request.least);
    if (!best) return;
    auto less = request_at_most(request, request.now - 1 - best->index);
    if (trials_.are_admitted({&other, &less})) add(pair_of(other, std::move(less)), best->landing);
  }

  // Reduces both by the same share first, then each by as little as the other allows.
  void try_requests(const Request& a, const Request& b) {
    const auto share = [](const Request& request, std::int64_t thousandths) {
      return std::max(request.least,
                      static_cast<std::int64_t>(static_cast<double>(request.now) *
                                                static_cast<double>(thousandths) / kThousandths));
    };
    const auto equal = least_that_helps(trials_, kThousandths, [&](std::int64_t i) {
      const auto less_a = request_at_most(a, share(a, kThousandths - 1 - i));
      const auto less_b = request_at_most(b, share(b, kThousandths - 1 - i));
      return trials_.with({&less_a, &less_b});
    });
    if (!equal) return;
    const auto least_a = share(a, kThousandths - 1 - equal->index);
    const auto least_b = share(b, kThousandths - 1 - equal->index);
    const auto best_a = largest(request_at_most(b, least_b), a, least_a);
    if (!best_a) return;
    const auto steps_a = a.now - 1 - best_a->index;
    const auto best_b = largest(request_at_most(a, steps_a), b, least_b);
    if (!best_b) return;
    add_requests(a, steps_a, b, b.now - 1 - best_b->index, best_b->landing);
  }

  void add_requests(const Request& a, std::int64_t steps_a, const Request& b, std::int64_t steps_b,
                    const Trials::Landing& landing) {
    auto less_a = request_at_most(a, steps_a), less_b = request_at_most(b, steps_b);
    if (!trials_.are_admitted({&less_a, &less_b})) return;
    auto words =
        a.container != b.container || a.is_of_init || trials_.pod().containers.size() > 1
            ? std::string()
            : fmt::format("request at most {} and {}", amount_words(a, steps_a), amount_words(b, steps_b));
    add(pair_of(std::move(less_a), std::move(less_b), std::move(words)), landing);
  }

  const Trials& trials_;
  Fixes& out_;
  std::vector<Remedy> constraints_, nodes_;
  std::vector<Request> requests_;
  bool is_whole_ = true;
  std::size_t found_ = 0;
};

}  // namespace

bool add_pairs(const Trials& trials, Fixes& out) { return Pairs(trials, out).try_all(); }

}  // namespace podium::explain

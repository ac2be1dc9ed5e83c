#include "scheduler/live/settling.h"

#include <array>
#include <utility>

#include "client/request_errors.h"
#include "scheduler/live/doubt.h"

namespace podium::live {

Next next_of(Ended ended, Shown shown) {
  using enum Next;
  using Row = std::array<Next, 7>;
  static constexpr std::array<Row, 7> kNext{
      // same, applied, changed, replaced, gone, barred, unreadable
      Row{failed, written, failed, failed, failed, unread, again},          // refused
      Row{conflict, written, conflict, conflict, conflict, unread, again},  // conflicted
      Row{as_merge, written, conflict, failed, failed, unread, again},      // other_form
      Row{again, written, conflict, conflict, failed, unread, again},       // in_doubt
      Row{again, written, conflict, conflict, conflict, unread, again},     // conflicted_in_doubt
      Row{as_merge, written, conflict, conflict, failed, unread, again},    // other_form_in_doubt
      Row{failed, written, conflict, conflict, failed, unread, again},      // refused_at_last
  };
  return kNext.at(static_cast<std::size_t>(ended)).at(static_cast<std::size_t>(shown));
}

// In a strategic merge the API server sorts the members of all objects, even of opaque parameters. If these
// were stored in another order, the server takes the new order for a change of an immutable field. So a 422
// is due to the patch's form, until the patch is a merge patch.
std::optional<Ended> Tries::ended(const Error& error, bool is_strategic, Steady now) {
  const bool is_sent = error.maybe_applied || client::is_answer(error);
  const bool was_lost = std::exchange(lost_, client::is_not_leader(error));
  if (client::leaves_doubt(error)) doubted_ = now;
  if (!is_sent && !doubted_) return std::nullopt;
  if (client::is_cancelled(error) && (was_lost || !client::is_not_leader(error))) return std::nullopt;
  if (is_strategic && error.status.code == 422)
    return doubted_ ? Ended::other_form_in_doubt : Ended::other_form;
  const bool is_refusal = client::is_answer(error) && !client::leaves_doubt(error);
  const bool counts = !doubted_ || (is_refusal && now - *doubted_ >= kLongestDoubt);
  if (client::is_conflict(error)) return counts ? Ended::conflicted : Ended::conflicted_in_doubt;
  if (!counts) return Ended::in_doubt;
  return doubted_ ? Ended::refused_at_last : Ended::refused;
}

}  // namespace podium::live

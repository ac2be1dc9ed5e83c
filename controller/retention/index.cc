#include "controller/retention/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <string>

#include "base/check.h"
#include "client/decode/watch_lines.h"

namespace podium::controller {
namespace {

constexpr std::size_t kMostVictims = 8;  // a report is at most 8 KiB, and seldom below 2 KiB
constexpr std::chrono::seconds kTogether{5};
constexpr std::uint8_t kTakenRank = 0, kOrphanRank = 1, kRank = 2;

std::string key_of(const std::string& ns, const std::string& name) { return ns + '/' + name; }
std::string minute_key(const std::string& ns, std::uint32_t minute) {
  return fmt::format("{}/{}", ns, minute);
}
std::string namespace_of(const std::string& key) { return key.substr(0, key.find('/')); }

std::size_t at(ReportKind kind) { return static_cast<std::size_t>(kind); }

// The parts of a budget in the order in which they are evicted for a report of the kind `own`. A part loses
// the reports beyond its half.
std::vector<std::size_t> givers(const std::array<ReportUsage, 2>& used, const ReportUsage& limit,
                                std::size_t own, std::uint32_t bytes) {
  const auto other = 1 - own;
  auto with = used[own];
  with.add(bytes);
  if (with.within(limit.half())) return {other, own};
  if (used[other].within(limit.half())) return {own};
  return {own, other};
}

}  // namespace

void RetentionIndex::set_limits(const ReportLimits& limits) {
  limits_ = limits;
  for (const auto& [ns, spaces] : spaces_) {
    for (std::size_t kind = 0; kind < spaces.size(); ++kind) {
      set_place(ns, kind);
      if (exceeds(spaces[kind], limits_.of_namespace)) over_.emplace(ns, kind);
    }
  }
}

// --- what exists ---

void RetentionIndex::track(const Report& report) {
  PODIUM_CHECK(!report.uid.empty(), report.ns, report.name);
  auto& slot = *reports_.try_emplace(key_of(report.ns, report.name)).first;
  if (!slot.second.uid.empty()) remove(slot);
  const auto due = together(report, slot.first);
  slot.second = {.uid = PackedUid(report.uid),
                 .version = client::version_number(report.version),
                 .due = due,
                 .written = report.written,
                 .order = ++order_,
                 .list = list_,
                 .bytes = report.bytes,
                 .minute = report.kind == ReportKind::decision ? report.minute : 0,
                 .kind = report.kind,
                 .look = report.look,
                 .failure = report.failure,
                 .listed = report.listed};
  insert(slot);
}

// Reports with the same label expire together, although the server's time is known only to the second.
Steady RetentionIndex::together(const Report& report, const std::string& key) {
  if (report.minute == 0 || report.kind != ReportKind::decision) return report.due;
  auto& minute = minutes_[minute_key(namespace_of(key), report.minute)];
  if (minute.members == 0) minute.due = report.due + kTogether;
  const bool joins = report.due <= minute.due && minute.due - report.due <= 2 * kTogether;
  return joins ? minute.due : report.due;
}

bool RetentionIndex::knows(const std::string& ns, const std::string& name, const std::string& uid,
                           const std::string& version) const {
  const auto it = reports_.find(key_of(ns, name));
  if (it == reports_.end() || it->second.uid != PackedUid(uid)) return false;
  const auto given = client::version_number(version), known = it->second.version;
  return given == 0 || known == 0 || given == known;
}

bool RetentionIndex::mark_listed(const std::string& ns, const std::string& name, const std::string& uid,
                                 const std::string& version) {
  if (!knows(ns, name, uid, version)) return false;
  reports_.at(key_of(ns, name)).list = list_;
  return true;
}

bool RetentionIndex::contains(const std::string& ns, const std::string& name) const {
  return reports_.contains(key_of(ns, name));
}

bool RetentionIndex::is_kept(const std::string& ns, const std::string& name, const std::string& uid) const {
  const auto it = reports_.find(key_of(ns, name));
  return it != reports_.end() && it->second.uid == PackedUid(uid) && it->second.state != State::leaving;
}

bool RetentionIndex::has_decision(const std::string& ns, const std::string& name) const {
  const auto it = reports_.find(key_of(ns, name));
  return it != reports_.end() && it->second.kind == ReportKind::decision &&
         it->second.state != State::leaving;
}

void RetentionIndex::pod_gone(const std::string& ns, const std::string& name, const std::string& uid) {
  const auto it = reports_.find(key_of(ns, name));
  if (it == reports_.end() || it->second.uid != PackedUid(uid) || it->second.orphan) return;
  link(*it, false);
  it->second.orphan = true;
  link(*it, true);
}

bool RetentionIndex::forget(const std::string& ns, const std::string& name, const std::string& uid) {
  const auto it = reports_.find(key_of(ns, name));
  if (it == reports_.end() || (!uid.empty() && it->second.uid != PackedUid(uid))) return false;
  remove(*it);
  reports_.erase(it);
  drop_if_empty(ns);
  return true;
}

bool RetentionIndex::is_newer_than_list(const std::string& ns, const std::string& name) const {
  const auto it = reports_.find(key_of(ns, name));
  return it != reports_.end() && it->second.list == list_;
}

std::size_t RetentionIndex::end_list() {
  const auto before = reports_.size();
  for (auto it = reports_.begin(); it != reports_.end();) {
    if (it->second.list == list_) {
      ++it;
    } else {
      const auto ns = namespace_of(it->first);
      remove(*it);
      it = reports_.erase(it);
      drop_if_empty(ns);
    }
  }
  return before - reports_.size();
}

// --- what leaves ---

std::vector<RetentionIndex::Report> RetentionIndex::take_due(Steady now, std::size_t most) {
  std::vector<Report> out;
  while (out.size() < most) {
    const ByDue* earliest = nullptr;
    for (const auto& entries : by_due_) {
      if (entries.empty() || entries.begin()->first > now) continue;
      if (!earliest || entries.begin()->first < earliest->begin()->first) earliest = &entries;
    }
    if (!earliest) break;
    auto& slot = *earliest->begin()->second;
    set_state(slot, State::taken, false);
    out.push_back(report_of(slot));
  }
  return out;
}

std::vector<RetentionIndex::Report> RetentionIndex::take_excess(std::size_t most) {
  std::vector<Report> out;
  // Taken reports stay counted in `used`, and no longer in staying().
  const auto trim = [&](const Space& space, const ReportUsage& limit, const auto& first) {
    while (out.size() < most && !space.staying().within(limit)) {
      const auto left = [&](std::size_t part) {
        return space.parts[part].used.without(space.parts[part].going);
      };
      Slot* slot = nullptr;
      for (const auto part : givers({left(0), left(1)}, limit, 0, 0)) {
        if (!slot) slot = first(part);
      }
      if (!slot) break;
      set_state(*slot, State::taken, true);
      out.push_back(report_of(*slot));
    }
  };
  for (auto it = over_.begin(); it != over_.end();) {
    const auto spaces = spaces_.find(it->first);  // absent: all of the namespace are gone
    const auto* space = spaces == spaces_.end() ? nullptr : &spaces->second[it->second];
    if (space && exceeds(*space, limits_.of_namespace)) {
      trim(*space, limits_.of_namespace,
           [&](std::size_t part) { return first_that_stays(space->parts[part]); });
      ++it;
    } else {
      it = over_.erase(it);
    }
  }
  for (const auto kind : {ReportKind::decision, ReportKind::question})
    trim(all_[at(kind)], limits_.all, [&](std::size_t part) { return first_of_largest(kind, part); });
  return out;
}

bool RetentionIndex::has_excess() const {
  return !over_.empty() || std::ranges::any_of(all_, [&](const auto& s) { return exceeds(s, limits_.all); });
}

bool RetentionIndex::is_taken(const std::string& ns, const std::string& name, const std::string& uid) const {
  const auto it = reports_.find(key_of(ns, name));
  return it != reports_.end() && it->second.uid == PackedUid(uid) && it->second.state == State::taken;
}

bool RetentionIndex::is_whole(const std::string& ns, std::uint32_t minute) const {
  const auto it = minutes_.find(minute_key(ns, minute));
  return it != minutes_.end() && it->second.members == it->second.taken;
}

// --- room ---

bool RetentionIndex::fits(const Space& space, const ReportUsage& limit, std::uint32_t bytes) {
  const ReportUsage with{space.used.count + space.reserved.count + 1,
                         space.used.bytes + space.reserved.bytes + bytes};
  return with.within(limit);
}

ReportUsage RetentionIndex::Space::staying() const {
  return used.without(parts[0].going).without(parts[1].going);
}

// The first report to evict that is not taken yet, or null. Taken ones lead the order.
RetentionIndex::Slot* RetentionIndex::first_that_stays(const Part& part) {
  const auto found = part.evictable.lower_bound({kTakenRank + 1, Steady::min(), 0, nullptr});
  return found == part.evictable.end() ? nullptr : found->slot;
}

// The same, of the namespace that has most of the total budget.
RetentionIndex::Slot* RetentionIndex::first_of_largest(ReportKind kind, std::size_t part) const {
  const auto& largest = largest_[at(kind)][part];
  if (largest.empty()) return nullptr;
  return first_that_stays(spaces_.at(std::get<std::string>(*largest.begin()))[at(kind)].parts[part]);
}

// Returns the part of the number or of the bytes, whichever is more, with reservations.
double RetentionIndex::part_of_all(const Space& space) const {
  const auto staying = space.staying();
  const auto of = [](std::uint64_t amount, std::uint64_t reserved, std::uint64_t limit) {
    return static_cast<double>(amount + reserved) / static_cast<double>(std::max<std::uint64_t>(1, limit));
  };
  return std::max(of(staying.count, space.reserved.count, limits_.all.count),
                  of(staying.bytes, space.reserved.bytes, limits_.all.bytes));
}

// Sets the place of a namespace in largest_.
void RetentionIndex::set_place(const std::string& ns, std::size_t kind) {
  auto& space = spaces_.at(ns)[kind];
  for (std::size_t i = 0; i < space.parts.size(); ++i) {
    auto& part = space.parts[i];
    std::optional<Place> now;
    if (const auto* first = first_that_stays(part))
      now.emplace(-part_of_all(space), first->second.written, first->second.order, ns);
    if (now == part.place) continue;
    if (part.place) largest_[kind][i].erase(*part.place);
    if (now) largest_[kind][i].insert(*now);
    part.place = std::move(now);
  }
}

// The first report of a namespace to evict, or null.
RetentionIndex::Slot* RetentionIndex::first_of_own(const std::string& ns, std::uint32_t bytes, bool failure) {
  const auto& parts = spaces_[ns][at(ReportKind::decision)].parts;
  for (const auto& part : parts) {
    if (!part.evictable.empty() && part.evictable.begin()->rank == kTakenRank)
      return part.evictable.begin()->slot;
  }
  for (const auto part : givers({parts[0].used, parts[1].used}, limits_.of_namespace, failure, bytes)) {
    if (!parts[part].evictable.empty()) return parts[part].evictable.begin()->slot;
  }
  return nullptr;
}

// The first report of all to evict. The budget decides the kind; of a kind, the namespace with most of the
// budget loses one.
RetentionIndex::Slot* RetentionIndex::first_of_all(std::uint32_t bytes, bool failure) {
  const auto& parts = all_[at(ReportKind::decision)].parts;
  for (const auto& part : parts) {
    if (!part.evictable.empty() && part.evictable.begin()->rank == kTakenRank)
      return part.evictable.begin()->slot;
  }
  for (const auto part : givers({parts[0].used, parts[1].used}, limits_.all, failure, bytes)) {
    if (auto* slot = first_of_largest(ReportKind::decision, part)) return slot;
  }
  return nullptr;
}

std::expected<std::vector<RetentionIndex::Report>, NoRoom> RetentionIndex::reserve(const std::string& ns,
                                                                                   std::uint32_t bytes,
                                                                                   bool failure) {
  const auto& all = all_[at(ReportKind::decision)];
  const auto& own = spaces_[ns][at(ReportKind::decision)];
  struct Victim {
    Slot* slot;
    State state;
    bool early;
  };
  std::vector<Victim> victims;
  // The space that is full.
  const auto full = [&]() -> const Space* {
    for (;;) {
      const bool own_fits = fits(own, limits_.of_namespace, bytes);
      if (own_fits && fits(all, limits_.all, bytes)) return nullptr;
      const auto* space = own_fits ? &all : &own;
      if (victims.size() == kMostVictims) return space;
      auto* slot = own_fits ? first_of_all(bytes, failure) : first_of_own(ns, bytes, failure);
      if (!slot) return space;
      victims.push_back({slot, slot->second.state, slot->second.early});
      set_state(*slot, State::leaving, true);
    }
  };
  if (const auto* space = full()) {
    const auto why = space->reserved.count > 0 ? NoRoom::now : NoRoom::at_all;
    for (const auto& victim : victims) set_state(*victim.slot, victim.state, victim.early);
    drop_if_empty(ns);
    return std::unexpected(why);
  }
  hold(ns, bytes, failure, true);
  std::vector<Report> out;
  for (const auto& victim : victims) out.push_back(report_of(*victim.slot));
  return out;
}

// Adds a reservation to the counts, or removes it.
void RetentionIndex::hold(const std::string& ns, std::uint32_t bytes, bool failure, bool in) {
  const auto change = in ? &ReportUsage::add : &ReportUsage::subtract;
  auto& own = spaces_[ns][at(ReportKind::decision)];
  for (auto* space : {&own, &all_[at(ReportKind::decision)]}) {
    (space->reserved.*change)(bytes);
    (space->parts[failure].used.*change)(bytes);
  }
  set_place(ns, at(ReportKind::decision));
}

void RetentionIndex::release(const std::string& ns, std::uint32_t bytes, bool failure) {
  hold(ns, bytes, failure, false);
  drop_if_empty(ns);
}

void RetentionIndex::restore(const Report& report) {
  const auto it = reports_.find(key_of(report.ns, report.name));
  if (it == reports_.end() || it->second.uid != PackedUid(report.uid) || it->second.state != State::leaving)
    return;
  it->second.stuck = true;
  set_state(*it, State::taken, true);
}

bool RetentionIndex::may_keep(const std::string& ns, const std::string& name, std::uint32_t bytes) const {
  if (const auto it = reports_.find(key_of(ns, name)); it != reports_.end() && it->second.due == kNever)
    return true;
  const auto may = [bytes](const Space& space, const ReportUsage& limit) {
    auto with = space.kept;
    with.add(bytes);
    return with.within(limit.four_fifths());
  };
  const auto own = spaces_.find(ns);
  if (own != spaces_.end() && !may(own->second[at(ReportKind::question)], limits_.of_namespace)) return false;
  return may(all_[at(ReportKind::question)], limits_.all);
}

// --- times ---

std::optional<Steady> RetentionIndex::next_due() const {
  std::optional<Steady> next;
  for (const auto& entries : by_due_) {
    if (!entries.empty() && (!next || entries.begin()->first < *next)) next = entries.begin()->first;
  }
  return next;
}

std::optional<Steady> RetentionIndex::earliest_due() const {
  const auto next = next_due();
  if (taken_due_.empty()) return next;
  return next ? std::min(*next, *taken_due_.begin()) : *taken_due_.begin();
}

// --- bookkeeping ---

// None for a report that must stay: one that cannot be deleted, was not read yet, or is kept by its author.
std::optional<RetentionIndex::Evictable> RetentionIndex::evictable_of(Slot& slot) {
  const auto& entry = slot.second;
  if (entry.stuck || entry.state == State::leaving) return std::nullopt;
  const bool is_question = entry.kind == ReportKind::question;
  if (is_question && (entry.look || entry.due == kNever)) return std::nullopt;
  const auto rank = entry.state == State::taken ? kTakenRank : entry.orphan ? kOrphanRank : kRank;
  return Evictable{rank, entry.written, entry.order, &slot};
}

RetentionIndex::Space& RetentionIndex::space_of(const Slot& slot) {
  return spaces_[namespace_of(slot.first)][at(slot.second.kind)];
}

void RetentionIndex::count(Slot& slot, bool in) {
  const auto& entry = slot.second;
  auto& own = space_of(slot);
  const bool keeps = entry.kind == ReportKind::question && entry.due == kNever;
  const auto evictable = evictable_of(slot);
  const std::size_t of_kind = entry.kind == ReportKind::decision && entry.failure ? 1 : 0;
  for (auto* space : {&own, &all_[at(entry.kind)]}) {
    auto& part = space->parts[of_kind];
    if (evictable && in) part.evictable.insert(*evictable);
    if (evictable && !in) part.evictable.erase(*evictable);
    if (entry.state == State::leaving) continue;
    const auto change = in ? &ReportUsage::add : &ReportUsage::subtract;
    (space->used.*change)(entry.bytes);
    (part.used.*change)(entry.bytes);
    if (evictable && evictable->rank == kTakenRank) (part.going.*change)(entry.bytes);
    if (keeps) (space->kept.*change)(entry.bytes);
  }
  set_place(namespace_of(slot.first), at(entry.kind));
  if (in && exceeds(own, limits_.of_namespace)) over_.emplace(namespace_of(slot.first), at(entry.kind));
}

// Adds the slot to the orders and counts that depend on its state, or removes it.
void RetentionIndex::link(Slot& slot, bool in) {
  const auto& entry = slot.second;
  if (entry.state == State::kept && entry.due != kNever) {
    auto& entries = by_due_[at(entry.kind)];
    if (in) {
      entries.emplace(entry.due, &slot);
    } else {
      entries.erase({entry.due, &slot});
    }
  }
  if (entry.state == State::taken && !entry.early) {
    if (in) {
      taken_due_.insert(entry.due);
    } else {
      taken_due_.erase(taken_due_.find(entry.due));
    }
  }
  if (entry.minute != 0 && entry.state != State::kept) {
    auto& minute = minutes_.at(minute_key(namespace_of(slot.first), entry.minute));
    minute.taken += in ? 1 : -1;
  }
  count(slot, in);
}

void RetentionIndex::insert(Slot& slot) {
  const auto& entry = slot.second;
  if (entry.minute != 0) ++minutes_[minute_key(namespace_of(slot.first), entry.minute)].members;
  link(slot, true);
  ++counts_[at(entry.kind)];
}

void RetentionIndex::remove(Slot& slot) {
  const auto& entry = slot.second;
  link(slot, false);
  --counts_[at(entry.kind)];
  if (entry.minute == 0) return;
  const auto minute = minutes_.find(minute_key(namespace_of(slot.first), entry.minute));
  if (--minute->second.members == 0) minutes_.erase(minute);
}

void RetentionIndex::set_state(Slot& slot, State state, bool early) {
  link(slot, false);
  slot.second.state = state;
  slot.second.early = early;
  link(slot, true);
}

void RetentionIndex::drop_if_empty(const std::string& ns) {
  const auto it = spaces_.find(ns);
  if (it == spaces_.end()) return;
  const bool is_empty = std::ranges::all_of(it->second, [](const Space& space) {
    return space.used == ReportUsage{} && space.reserved == ReportUsage{};
  });
  if (is_empty) spaces_.erase(it);
}

RetentionIndex::Report RetentionIndex::report_of(const Slot& slot) {
  const auto& entry = slot.second;
  const auto slash = slot.first.find('/');
  return {.ns = slot.first.substr(0, slash),
          .name = slot.first.substr(slash + 1),
          .uid = entry.uid.text(),
          .due = entry.due,
          .kind = entry.kind,
          .look = entry.look,
          .early = entry.early,
          .failure = entry.failure,
          .orphan = entry.orphan,
          .bytes = entry.bytes,
          .minute = entry.minute,
          .written = entry.written,
          .version = entry.version == 0 ? std::string() : std::to_string(entry.version),
          .listed = entry.listed};
}

}  // namespace podium::controller

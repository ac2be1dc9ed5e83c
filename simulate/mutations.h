// Mutations: bugs that are planted at the seams of an engine, to show that lives find them.
//
// A planted bug does in the engine's transport, in its right to write or in its clock what the engine would
// do if its own code had the bug. The engine's code is untouched, so the test of the mutations needs no build
// of its own, and no bug can be left in it.
//
// Threads: as the Transport that is wrapped. Errors: those of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/engine.h"
#include "client/http/transport.h"
#include "simulate/faults.h"

namespace podium::simulate {

// What a planted bug does with requests and replies. Each is empty where it does nothing.
struct Bug {
  std::function<void(client::Request&)> before;  // changes what is sent
  // An answer that the engine takes without asking.
  std::function<std::optional<client::Response>(const client::Request&)> instead;
  std::function<void(const client::Request&, Result<client::Response>&)> after;  // misreads an answer
  // Whether the engine sends it again, for good, instead of taking the answer.
  std::function<bool(const client::Request&, const Result<client::Response>&)> clings;
  std::chrono::milliseconds clings_each{0};
  std::function<Steady::duration(const client::Request&)> dawdles;  // waits before it sends
  // Sends what it answered `instead` all the same, before the next request after so much time; 0: never.
  std::function<Steady::duration(const client::Request&)> sends_late;
  // Waits before it takes an answer.
  std::function<Steady::duration(const Result<client::Response>&)> rests;
  // What it takes of the lines of a watch.
  std::function<std::string(const client::Request&, std::string)> reads;
  bool waits_for_silence = false;  // never gives up a watch that is silent
  bool fails_for_empty = false;    // takes a list that failed for one of nothing
};

struct Mutation {
  std::string_view name;
  std::string_view bug;           // what the engine does wrong; the number in the review that found it once
  std::uint64_t seed = 0;         // of a life that finds it
  std::string_view found_as;      // a part of what that life tells
  bool rare = false;              // few lives find it
  std::function<Bug()> make{};    // for each engine and kind of traffic
  bool writes_always = false;     // never asks whether it may write
  double clock_rate = 1;          // of its clock
  Faults faults = Faults::all();  // those that the life may choose from
};

std::span<const Mutation> mutations();
// Those of one kind, which mutations() has as well.
std::vector<Mutation> report_mutations();               // of reports and what-ifs
std::vector<Mutation> claim_mutations();                // of claims and devices
std::vector<Mutation> request_mutations();              // of what may be asked, and when
const Mutation* mutation_named(std::string_view name);  // null: there is none

// Both return what they are given where `mutation` is null.
client::MayWrite plant(const Mutation* mutation, client::MayWrite may_write);
std::shared_ptr<client::Transport> plant(const Mutation* mutation,
                                         std::shared_ptr<client::Transport> transport);

}  // namespace podium::simulate

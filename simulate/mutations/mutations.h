// Mutations: bugs that are planted at the seams of an engine, to show that lives find them.
//
// A planted bug changes the engine's transport, its right to write or its clock, as if the engine's own code
// had the bug. The engine's code is unchanged, so the test of the mutations needs no build of its own, and no
// bug can be left in it.
//
// Threads and errors: as the wrapped Transport.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "client/http/transport.h"
#include "simulate/server/faults.h"

namespace podium::simulate {

// The hooks of a planted bug for requests and replies. An empty hook does nothing.
struct Bug {
  std::function<void(client::Request&)> before;  // changes the request
  // A reply that the engine gets without sending the request.
  std::function<std::optional<client::Response>(const client::Request&)> instead;
  std::function<void(const client::Request&, Result<client::Response>&)> after;  // changes the reply
  // True if the engine sends the request again instead of reading the reply.
  std::function<bool(const client::Request&, const Result<client::Response>&)> retries;
  std::chrono::milliseconds retry_interval{0};
  std::function<Steady::duration(const client::Request&)> delays;  // waits before it sends
  // How long after its answer by `instead` a request is sent, before the next request; 0: never.
  std::function<Steady::duration(const client::Request&)> sends_late;
  // Waits before it delivers a reply.
  std::function<Steady::duration(const Result<client::Response>&)> rests;
  // Changes a line of a watch before the engine reads it.
  std::function<std::string(const client::Request&, std::string)> reads;
  // The same, of a line that arrives while the engine waits for an extender.
  std::function<std::string(const client::Request&, std::string)> reads_while_deciding;
  bool waits_for_silence = false;  // never renews a silent watch
  bool fails_for_empty = false;    // takes a failed list for an empty one
};

struct Mutation {
  std::string_view name;
  std::string_view bug;           // the bug; the number in the review that found it
  std::uint64_t seed = 0;         // of a life that finds it
  std::string_view found_as;      // a part of that life's finding
  bool rare = false;              // few lives find it
  std::function<Bug()> make{};    // for each engine and kind of traffic
  bool writes_always = false;     // never checks whether it may write
  double clock_rate = 1;          // of its clock
  Faults faults = Faults::all();  // the faults that the life may choose from
};

std::span<const Mutation> mutations();
// The mutations of one kind; mutations() also has them.
std::vector<Mutation> report_mutations();               // of reports and what-ifs
std::vector<Mutation> claim_mutations();                // of claims and devices
std::vector<Mutation> request_mutations();              // of the allowed requests and their times
std::vector<Mutation> extender_mutations();             // of events that arrive during a decision
std::vector<Mutation> neighbour_mutations();            // of constraints between pods, and of resizes
std::vector<Mutation> volume_mutations();               // of volumes and of claims for them
const Mutation* mutation_named(std::string_view name);  // null: there is none

// Both return their argument if `mutation` is null.
client::MayWrite plant(const Mutation* mutation, client::MayWrite may_write);
// `decides`: true while the engine waits for an extender.
std::shared_ptr<client::Transport> plant(const Mutation* mutation,
                                         std::shared_ptr<client::Transport> transport,
                                         std::function<bool()> decides);

}  // namespace podium::simulate

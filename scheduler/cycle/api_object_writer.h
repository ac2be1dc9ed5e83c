// ApiObjectWriter: makes the writes that PreBind plugins want, and when in doubt looks rather than guesses.
//
// A write is a JSON merge patch that names the UID and the resourceVersion that the decision was made on, so
// that nothing is overwritten that nobody has seen. After a lost reply the object itself is read: where it
// has everything that the patch wants, the patch was made.
//
// Threads: write() from the strand; the requests run on `io`; the outcome is posted to the strand.
// Errors: in the outcome, in the API server's words.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <string>

#include "async/gate.h"
#include "client/api.h"
#include "scheduler/cycle/seams.h"

namespace podium::cycle {

class ApiObjectWriter final : public ObjectWriter {
 public:
  using Ended = std::function<void(const std::string& pod_uid, WriteOutcome)>;

  ApiObjectWriter(client::Api& api, async::Gate& gate, boost::asio::any_io_executor io,
                  boost::asio::any_io_executor strand, Ended ended);
  void write(std::string pod_uid, framework::ObjectWrite write) override;

 private:
  static client::Task<void> run(ApiObjectWriter* self, std::string pod_uid, framework::ObjectWrite write);

  void tell(std::string pod_uid, WriteOutcome outcome);

  client::Api& api_;
  async::Gate& gate_;
  const boost::asio::any_io_executor io_, strand_;
  const Ended ended_;
};

// One write from request to outcome; exposed for tests against a scripted server.
client::Task<WriteOutcome> write_object(client::Api& api, framework::ObjectWrite write);

}  // namespace podium::cycle

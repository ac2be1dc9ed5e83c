// ApiObjectWriter: executes the API requests of plugins.
//
// A patch has the UID and the resourceVersion that the decision was based on as preconditions, so it never
// overwrites a newer change. A deletion has the UID. After a lost reply the object is read back: if it has
// every field of the patch, the write succeeded.
//
// Owner: the Engine; `gate` is empty before this is destroyed.
// Threads: write() from the strand; requests run on `io`; outcomes are posted to the strand.
// Errors: in the WriteOutcome, with the API server's message.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <string>

#include "async/gate.h"
#include "client/api.h"
#include "log/limit.h"
#include "scheduler/cycle/seams.h"

namespace podium::live {

class ApiObjectWriter final : public cycle::ObjectWriter {
 public:
  using Ended = std::function<void(const std::string& pod_uid, cycle::WriteOutcome)>;

  ApiObjectWriter(client::Api& api, async::Gate& gate, boost::asio::any_io_executor io,
                  boost::asio::any_io_executor strand, Ended ended);
  void write(std::string pod_uid, framework::ObjectWrite write) override;

 private:
  static client::Task<void> run(ApiObjectWriter* self, std::string pod_uid, framework::ObjectWrite write);

  void post_outcome(std::string pod_uid, cycle::WriteOutcome outcome);

  client::Api& api_;
  async::Gate& gate_;
  const boost::asio::any_io_executor io_, strand_;
  const Ended ended_;
  LogLimit log_;
};

// Executes one write; exposed for tests against a scripted server.
client::Task<cycle::WriteOutcome> write_object(client::Api& api, framework::ObjectWrite write);

}  // namespace podium::live

#include "simulate/base/agenda.h"

#include <gtest/gtest.h>

#include <string>

#include "async/virtual_time.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

TEST(Agenda, EntriesOfOneTimeRunInTheirOrder) {
  async::VirtualTime time;
  Agenda agenda(time);
  std::string ran;
  agenda.after(2s, [&] { ran += 'c'; });
  agenda.after(1s, [&] { ran += 'a'; });
  agenda.after(1s, [&] { ran += 'b'; });
  EXPECT_EQ(agenda.next(), time.now() + 1s);
  EXPECT_FALSE(agenda.run_due());
  time.advance(1s);
  EXPECT_TRUE(agenda.run_due());
  EXPECT_EQ(ran, "ab");
  time.advance(1s);
  EXPECT_TRUE(agenda.run_due());
  EXPECT_EQ(ran, "abc");
  EXPECT_EQ(agenda.next(), Steady::max());
}

TEST(Agenda, WhatIsCancelledDoesNotRunAndIsNotAStepOfTheTime) {
  async::VirtualTime time;
  Agenda agenda(time);
  std::string ran;
  const auto first = agenda.after(1s, [&] { ran += 'a'; });
  const auto second = agenda.after(1s, [&] { ran += 'b'; });
  agenda.cancel(first);
  EXPECT_EQ(agenda.next(), time.now() + 1s);
  time.advance(1s);
  EXPECT_TRUE(agenda.run_due());
  agenda.cancel(second);  // it has run
  EXPECT_EQ(ran, "b");
  agenda.cancel(agenda.after(1s, [&] { ran += 'c'; }));
  EXPECT_EQ(agenda.next(), Steady::max());
}

}  // namespace
}  // namespace podium::simulate

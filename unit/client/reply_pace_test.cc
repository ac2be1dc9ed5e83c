#include "client/http/reply_pace.h"

#include <gtest/gtest.h>

namespace podium::client {
namespace {

using namespace std::chrono_literals;

TEST(ReplyPaceTest, LooksSoonWhileNothingIsKnown) {
  const ReplyPace pace;
  EXPECT_EQ(pace.before_first_read(16), ReplyPace::kShortest);
  EXPECT_EQ(pace.between_reads(16), ReplyPace::kShortest);
}

TEST(ReplyPaceTest, LooksWhenMostRepliesAreThereAndAFewTimesAfter) {
  ReplyPace pace;
  pace.answered(10, 400ms);
  EXPECT_EQ(pace.before_first_read(10), 300ms);
  EXPECT_EQ(pace.between_reads(10), 50ms);
  EXPECT_EQ(pace.before_first_read(5), 150ms) << "a smaller batch is done sooner";
  EXPECT_EQ(pace.before_first_read(1000), ReplyPace::kLongest);
  EXPECT_EQ(pace.between_reads(2), ReplyPace::kShortest);
}

// Measured times are never shorter than the pauses; the estimate must decrease all the same.
TEST(ReplyPaceTest, NoticesThatTheServerHasBecomeFaster) {
  ReplyPace pace;
  pace.answered(8, 480ms);
  int batches = 0;
  while (pace.before_first_read(8) > ReplyPace::kShortest && batches < 100) {
    pace.answered(8, pace.before_first_read(8));
    ++batches;
  }
  EXPECT_LT(batches, 30);
}

TEST(ReplyPaceTest, OneSlowBatchIsHalfThePicture) {
  ReplyPace pace;
  pace.answered(4, 160ms);
  pace.answered(4, 320ms);
  EXPECT_EQ(pace.before_first_read(4), 180ms);
}

}  // namespace
}  // namespace podium::client

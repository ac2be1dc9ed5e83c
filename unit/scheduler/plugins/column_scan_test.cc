#include "scheduler/plugins/shared/column_scan.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "scheduler/plugins/shared/exact_division.h"
#include "unit/scheduler/plugins/plugin_seed.h"

namespace podium::plugins::test::column_scan_test {
namespace {

bool bit(const ChunkWords& words, std::size_t row) { return words[row / 64] >> row % 64 & 1; }

TEST(ColumnScan, IdSetFindsItsRowsHoweverManyIdsItHas) {
  std::mt19937_64 random(test_seed());
  std::array<std::uint32_t, kChunkRows> rows;
  for (auto& row : rows) row = static_cast<std::uint32_t>(random() % 40);
  for (const std::size_t size : {0, 1, 3, 4, 5, 6, 20}) {
    IdSet set(40);
    std::vector<bool> member(40);
    while (static_cast<std::size_t>(std::count(member.begin(), member.end(), true)) < size) {
      const auto id = static_cast<std::uint32_t>(random() % 40);
      set.insert(id);
      member[id] = true;
    }
    const auto found = set.match(rows);
    for (std::size_t i = 0; i < kChunkRows; ++i)
      ASSERT_EQ(bit(found, i), member[rows[i]]) << size << " ids, row " << i;
  }
}

TEST(ColumnScan, MaxAndSumsLookAtTheMaskOnly) {
  cluster::NodeMask mask(2);
  std::vector<std::int64_t> values(2 * kChunkRows, 0);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i);
  EXPECT_EQ(max_of(mask, values), 0);
  mask.set(3);
  mask.set(1100);
  EXPECT_EQ(max_of(mask, values), 1100);
  EXPECT_TRUE(chunk_is_empty(cluster::NodeMask(2), 1));
  EXPECT_FALSE(chunk_is_empty(mask, 1));
  std::vector<std::int64_t> sums(kChunkRows, 5);
  add_where(chunk_of(mask, 1), 7, std::span<std::int64_t, kChunkRows>(sums));
  std::vector<std::int64_t> want(kChunkRows, 5);
  want[1100 - kChunkRows] = 12;
  EXPECT_EQ(sums, want);
}

TEST(ColumnScan, ScalesExactly) {
  std::mt19937_64 random(test_seed());
  for (const int shift : {60, 50, 40, 20, 19, 18}) {
    const auto max = static_cast<std::int64_t>(random() >> shift) + 1;
    std::vector<std::int64_t> values(64);
    std::vector<std::uint8_t> want, got(64);
    for (auto& value : values) {
      value = static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>(max) + 1));
      want.push_back(static_cast<std::uint8_t>(static_cast<__int128>(value) * 100 / max));
    }
    scale_to_100(values, max, got);
    EXPECT_EQ(got, want) << max;
  }
}

// Tests values around each change of the percentage, for divisors of all sizes.
TEST(ExactDivision, PercentIsTheIntegerQuotient) {
  SCOPED_SEED(test_seed());
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 20000; ++round) {
    const auto whole = static_cast<std::int64_t>(random() >> (1 + random() % 62)) + 1;
    const auto step = static_cast<__int128>(random() % 101) * whole / 100;
    for (int off = -2; off <= 2; ++off) {
      const auto part = step + off;
      if (part < 0 || part > whole) continue;
      ASSERT_EQ(percent(static_cast<std::int64_t>(part), whole),
                static_cast<std::int64_t>(part * 100 / whole))
          << static_cast<std::int64_t>(part) << " of " << whole;
    }
  }
}

TEST(ExactDivision, SmallToDouble) {
  for (const std::uint64_t value : {0ull, 1ull, 1000ull, (1ull << 45) - 1, (1ull << 52) - 1}) {
    EXPECT_EQ(small_to_double(value), static_cast<double>(value));
  }
}

}  // namespace
}  // namespace podium::plugins::test::column_scan_test

// SPDX-License-Identifier: Apache-2.0
// The list of choices and the log of a session.
#include "pco/encode/session.hpp"
#include "base/internal.hpp"
#include "pco/encode/race.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "choose_cases.hpp"

namespace numpact::testing {
namespace {

struct Event {
  enum class Kind { kEstimated, kDropped, kEncoded };
  Kind kind;
  AnyMode mode;
  AnyDelta delta;
  double size;
};

class Recorder final : public ChoiceListener {
 public:
  void estimated(const AnyMode& mode, const AnyDelta& delta,
                 const BitsEstimate& estimate) noexcept override {
    EXPECT_GE(estimate.error, 0);
    events.push_back({Event::Kind::kEstimated, mode, delta, double{estimate.bits}});
  }
  void dropped(const AnyMode& mode, const AnyDelta& delta, DropReason reason) noexcept override {
    if (reason == DropReason::kEnoughOthers) {
      events.push_back({Event::Kind::kDropped, mode, delta, 0});
    }
  }
  void encoded(const AnyMode& mode, const AnyDelta& delta, std::uint64_t bytes) noexcept override {
    events.push_back({Event::Kind::kEncoded, mode, delta, static_cast<double>(bytes)});
  }

  std::size_t count(Event::Kind kind) const {
    return static_cast<std::size_t>(std::count_if(
        events.begin(), events.end(), [&](const Event& event) { return event.kind == kind; }));
  }
  // The estimates of Lookback.
  std::vector<double> lookbacks() const {
    std::vector<double> bits;
    for (const Event& event : events) {
      const bool is_lookback = std::holds_alternative<Lookback>(event.delta);
      if (is_lookback && event.kind == Event::Kind::kEstimated) bits.push_back(event.size);
    }
    return bits;
  }

  std::vector<Event> events;
};

class Session : public ::testing::Test {
 protected:
  template <class L, class T>
  void choose(const std::vector<T>& numbers, NumberType type, unsigned level) {
    arena_.reset();
    recorder_.events.clear();
    config_.level = level;
    Ordered<L> ordered(numbers, kind_of(type));
    ChoiceSession session({type, ordered.array(), numbers.size()}, config_, arena_, &recorder_);
    plan_run(session, {.segments = false});
    uses_lookback_ = session.uses_lookback();
    choices_ = session.choices().size();
  }
  // `period` random numbers that repeat.
  std::vector<std::uint32_t> periodic(std::size_t n, std::size_t period) {
    std::vector<std::uint32_t> numbers(n);
    for (std::size_t i = 0; i < n; ++i) {
      numbers[i] = i < period ? static_cast<std::uint32_t>(random_.bits(16)) : numbers[i - period];
    }
    return numbers;
  }

  Arena arena_{std::pmr::new_delete_resource()};
  Random random_{31};
  EncodeConfig config_;
  Recorder recorder_;
  bool uses_lookback_ = false;
  std::size_t choices_ = 0;
};

TEST_F(Session, LogsLookbackThatWins) {
  choose<std::uint32_t>(periodic(4000, 700), NumberType::kU32, 8);
  EXPECT_TRUE(uses_lookback_);
  EXPECT_EQ(recorder_.lookbacks().size(), 1u);
}

// Both one distance for all numbers and one for each are estimated.
TEST_F(Session, LogsAFixedLookback) {
  choose<std::uint32_t>(periodic(40'000, 1500), NumberType::kU32, 8);
  EXPECT_TRUE(uses_lookback_);
  EXPECT_GE(recorder_.lookbacks().size(), 2u);
}

// A hundred values in random order: a distance to an equal one takes more than a bin for each.
TEST_F(Session, LogsLookbackThatLoses) {
  const std::vector<std::uint32_t> values = periodic(100, 100);
  std::vector<std::uint32_t> numbers(20'000);
  for (std::uint32_t& number : numbers) number = values[random_.below(values.size())];
  choose<std::uint32_t>(numbers, NumberType::kU32, 8);
  EXPECT_FALSE(uses_lookback_);
  ASSERT_FALSE(recorder_.lookbacks().empty());
  double best = HUGE_VAL;
  for (const Event& event : recorder_.events) {
    if (event.kind == Event::Kind::kEstimated) best = std::min(best, event.size);
  }
  for (const double bits : recorder_.lookbacks()) {
    EXPECT_GT(bits, best);
    EXPECT_LT(bits, 16);
  }
}

// Nothing is searched, but the log says how far the tests were from a search.
TEST_F(Session, LogsLookbackThatThePrefilterRejects) {
  std::vector<std::uint32_t> numbers(20'000);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random_.bits(31));
  choose<std::uint32_t>(numbers, NumberType::kU32, 8);
  EXPECT_FALSE(uses_lookback_);
  ASSERT_EQ(recorder_.lookbacks().size(), 1u);
  EXPECT_GT(recorder_.lookbacks()[0], 30);
  EXPECT_LT(recorder_.lookbacks()[0], 48);
}

// One number in 50 equals the one 7000 before, which saves nothing.
TEST_F(Session, LogsTheLowestEstimateOfThePrefilter) {
  std::vector<std::uint32_t> numbers(60'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::uint32_t>(random_.bits(24));
    if (i >= 7000 && random_.below(50) == 0) numbers[i] = numbers[i - 7000];
  }
  choose<std::uint32_t>(numbers, NumberType::kU32, 8);
  EXPECT_FALSE(uses_lookback_);
  ASSERT_EQ(recorder_.lookbacks().size(), 1u);
  EXPECT_NEAR(recorder_.lookbacks()[0], 24, 0.5);
}

// Too few bits for the metadata of lookbacks: no test is run.
TEST_F(Session, LogsNoLookbackOfShortPages) {
  choose<std::uint32_t>(std::vector<std::uint32_t>{7, 1, 5, 7, 1, 5}, NumberType::kU32, 8);
  EXPECT_FALSE(recorder_.events.empty());
  EXPECT_TRUE(recorder_.lookbacks().empty());
}

// Rare steps and rare zeros: both orders are to be encoded, two other modes, and Classic.
TEST_F(Session, LogsWhatTheListDrops) {
  std::vector<double> numbers(40'000);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = i < 7538 ? 1000 : i < 10'093 ? 1001 : 1002;
  for (const std::size_t zero : {6228u, 26'858u}) numbers[zero] = 0;
  choose<std::uint64_t>(numbers, NumberType::kF64, 10);
  EXPECT_EQ(choices_, ChoiceList::kCapacity);
  ASSERT_EQ(recorder_.count(Event::Kind::kDropped), 1u);
  for (const Event& event : recorder_.events) {
    if (event.kind != Event::Kind::kDropped) continue;
    EXPECT_TRUE(std::holds_alternative<Classic>(event.mode));
    EXPECT_TRUE(std::holds_alternative<NoDelta>(event.delta));
    EXPECT_EQ(event.size, 0);  // it was not estimated
  }
}

TEST(ChoiceList, KeepsTheFirstOnes) {
  ChoiceList list;
  for (unsigned order = 1; order <= ChoiceList::kCapacity; ++order) {
    EXPECT_TRUE(list.add({Classic{}, Consecutive{order, false}, {}}));
  }
  EXPECT_FALSE(list.add({Classic{}, Consecutive{7, false}, {}}));
  ASSERT_EQ(list.all().size(), ChoiceList::kCapacity);
  for (unsigned i = 0; i < ChoiceList::kCapacity; ++i) {
    EXPECT_EQ(std::get<Consecutive>(list.all()[i].delta).order, i + 1);
  }
}

TEST(ChoiceList, PrependsWithinTheCapacity) {
  for (const std::size_t others : {1u, 3u, 9u}) {
    ChoiceList list;
    while (list.add({})) {
    }
    const std::size_t kept = list.prepend({Classic{}, Lookback{}, {}}, others, 5);
    EXPECT_EQ(kept, std::min(others, ChoiceList::kCapacity - 1));
    ASSERT_EQ(list.all().size(), kept + 1);
    EXPECT_TRUE(std::holds_alternative<Lookback>(list.all()[0].delta));
    EXPECT_EQ(list.all()[1].attempt_above_bits, 5);
  }
}

}  // namespace
}  // namespace numpact::testing

// SPDX-License-Identifier: Apache-2.0
// Delta encodings against their definition, and back.
#include <gtest/gtest.h>

#include "base/internal.hpp"
#include "pco/delta/conv1_pages.hpp"
#include "pco/delta/deltas.hpp"
#include "support/random.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

template <class T>
class Deltas : public ::testing::Test {
 protected:
  static std::vector<T> latents(std::size_t n, Random& random) {
    std::vector<T> result(n);
    const auto width = static_cast<unsigned>(random.between(1, 64));
    for (T& latent : result) latent = static_cast<T>(random.bits(width));
    return result;
  }
};
using Widths = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Deltas, Widths);

constexpr std::size_t kCounts[] = {0, 1, 2, 3, 5, 6, 7, 8, 9, 31, 32, 33, 34, 255, 256, 700};

template <Latent L>
struct Differences {
  std::vector<L> moments;
  std::vector<L> deltas;
};

template <Latent L>
Differences<L> naive_differences(const std::vector<L>& latents, unsigned order) {
  Differences<L> result;
  result.deltas = latents;
  for (unsigned j = 0; j < order; ++j) {
    result.moments.push_back(result.deltas.empty() ? L{0} : result.deltas[0]);
    for (std::size_t i = 0; i + 1 < result.deltas.size(); ++i) {
      result.deltas[i] = static_cast<L>(result.deltas[i + 1] - result.deltas[i]);
    }
    if (!result.deltas.empty()) result.deltas.pop_back();
  }
  return result;
}

TYPED_TEST(Deltas, ConsecutiveEncodesAsDefined) {
  using L = TypeParam;
  Random random(21);
  for_each_target([&] {
    for (unsigned order = 1; order <= kMaxConsecutiveOrder; ++order) {
      for (const std::size_t n : kCounts) {
        const std::vector<L> latents = this->latents(n, random);
        Differences<L> expected = naive_differences(latents, order);
        for (L& delta : expected.deltas) delta = static_cast<L>(delta + kMid<L>);
        std::vector<L> moments(order, 99);
        std::vector<L> deltas = latents;
        encode_consecutive(std::span<L>(moments), deltas.data(), n);
        ASSERT_EQ(moments, expected.moments);
        ASSERT_TRUE(std::equal(expected.deltas.begin(), expected.deltas.end(), deltas.begin()));
      }
    }
  });
}

// Deltas that are not centred, those not stored are 0. In two batches, at any address. Every count
// up to several vectors, then counts of every remainder.
TYPED_TEST(Deltas, ConsecutiveDecodesEveryCount) {
  using L = TypeParam;
  Random random(38);
  for (unsigned order = 1; order <= kMaxConsecutiveOrder; ++order) {
    for (std::size_t n = 0; n <= 600; n += n < 200 ? 1 : 7) {
      const std::vector<L> latents = this->latents(n, random);
      Differences<L> stored = naive_differences(latents, order);
      stored.deltas.resize(n);
      const std::size_t first = random.below(n + 1);
      const std::size_t shift = random.below(64);
      for_each_target([&] {
        std::vector<L> buffer(shift + n + 1, L{99});
        L* const back = buffer.data() + shift;
        std::copy(stored.deltas.begin(), stored.deltas.end(), back);
        std::vector<L> moments = stored.moments;
        decode_consecutive(std::span<L>(moments), back, first);
        decode_consecutive(std::span<L>(moments), back + first, n - first);
        ASSERT_TRUE(std::equal(latents.begin(), latents.end(), back))
            << "order " << order << ", n " << n << ", first " << first << ", shift " << shift;
        ASSERT_EQ(back[n], L{99});
      });
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

// Decodes deltas batch by batch with a buffer of the last `reach` latents. Returns all latents.
template <class Buffer, Latent L, class Step>
std::vector<L> decode_batches(std::size_t reach, const std::vector<L>& state, std::size_t n,
                              const Step& step) {
  Arena arena(std::pmr::new_delete_resource());
  Buffer kept;
  kept.start(arena, reach, std::max(n, state.size()), state);
  std::vector<L> result;
  const std::size_t stored = n > state.size() ? n - state.size() : 0;
  std::size_t done = 0;
  while (result.size() < n) {
    const std::size_t batch_n = std::min(kBatchN, n - result.size());
    const std::size_t delta_n = std::min(batch_n, stored - done);
    step(done, delta_n, kept);
    done += delta_n;
    const std::size_t from = result.size();
    result.resize(from + batch_n);
    kept.copy(from, batch_n, result.data() + from);
  }
  return result;
}

// Pages store centred deltas; decoders receive them without the centre.
template <Latent L>
std::vector<L> not_centred(std::vector<L> deltas) {
  for (L& delta : deltas) delta = static_cast<L>(delta - kMid<L>);
  return deltas;
}

TYPED_TEST(Deltas, LookbackMatchesTheDefinition) {
  using L = TypeParam;
  Random random(22);
  for (int round = 0; round < 400; ++round) {
    Lookback lookback;
    lookback.window_n_log = static_cast<unsigned>(random.between(1, 11));
    lookback.state_n_log = static_cast<unsigned>(random.below(lookback.window_n_log + 1));
    const std::size_t state_n = lookback.state_n();
    const std::size_t n = random.one_in(3) ? random.pick(kCounts) : random.below(6000);
    const std::vector<L> latents = this->latents(n, random);
    const std::size_t stored = n > state_n ? n - state_n : 0;
    std::vector<std::uint32_t> lookbacks(stored);
    for (auto& back : lookbacks) {
      back = static_cast<std::uint32_t>(random.between(1, lookback.window_n()));
    }
    std::vector<L> state(state_n, 99);
    std::vector<L> deltas = latents;
    encode_lookback(lookbacks.data(), std::span<L>(state), deltas.data(), n);
    for (std::size_t j = 0; j < state_n; ++j) ASSERT_EQ(state[j], j < n ? latents[j] : L{0});
    for (std::size_t i = 0; i < stored; ++i) {
      const std::size_t at = i + state_n;
      const L earlier = lookbacks[i] <= at ? latents[at - lookbacks[i]] : L{0};
      ASSERT_EQ(deltas[i], static_cast<L>(latents[at] - earlier + kMid<L>));
    }
    deltas = not_centred(deltas);
    const auto back = decode_batches<LookbackRing<L>>(
        lookback.window_n(), state, n, [&](std::size_t at, std::size_t count, auto& ring) {
          ASSERT_TRUE(decode_lookback(lookback.window_n(), lookbacks.data() + at,
                                      deltas.data() + at, count, ring));
        });
    ASSERT_EQ(back, latents) << "round " << round;
  }
}

// Batches of equal lookbacks have loops of their own: of 1, shorter and longer than a block of
// vectors, and with latents that wrap around in the ring.
TYPED_TEST(Deltas, EqualLookbacksMatchTheDefinition) {
  using L = TypeParam;
  Random random(23);
  const std::vector<std::uint32_t> distances{1, 2, 15, 16, 17, 100, 256, 700};
  for_each_target([&] {
    for (int round = 0; round < 60; ++round) {
      constexpr std::size_t kWindowN = 1024;
      const std::size_t n = 1 + random.below(6000);
      const std::vector<L> state = this->latents(random.between(1, kWindowN), random);
      const std::vector<L> deltas = this->latents(n, random);
      std::vector<std::uint32_t> lookbacks(n);
      for (std::size_t i = 0; i < n; i += kBatchN) {
        const std::uint32_t distance = random.pick(distances);
        std::fill_n(lookbacks.begin() + static_cast<std::ptrdiff_t>(i), std::min(kBatchN, n - i),
                    distance);
        if (random.one_in(4)) lookbacks[i + random.below(std::min(kBatchN, n - i))] = 1;
      }
      std::vector<L> expected = state;
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t at = expected.size();
        const L earlier = lookbacks[i] <= at ? expected[at - lookbacks[i]] : L{0};
        expected.push_back(static_cast<L>(deltas[i] + earlier));
      }
      const auto back = decode_batches<LookbackRing<L>>(
          kWindowN, state, expected.size(), [&](std::size_t at, std::size_t count, auto& ring) {
            ASSERT_TRUE(
                decode_lookback(kWindowN, lookbacks.data() + at, deltas.data() + at, count, ring));
          });
      ASSERT_EQ(back, expected) << "round " << round;
    }
  });
}

// Whatever the window: memory is bounded by the page, and for a page that claims to be long, by a
// small multiple of what was decoded.
TYPED_TEST(Deltas, WindowsTakeNoMoreMemoryThanTheirPages) {
  using L = TypeParam;
  constexpr std::size_t kMaxWindowN = std::size_t{1} << kMaxWindowNLog;
  constexpr std::size_t kMinArenaBytes = 64 * 1024;  // smallest block of an arena, plus a batch
  for (const std::size_t page_n : {std::size_t{10}, std::size_t{1000}, kMaxWindowN}) {
    Arena arena(std::pmr::new_delete_resource());
    LookbackRing<L> ring;
    const std::vector<L> state(1, 1);
    ring.start(arena, kMaxWindowN, page_n, state);
    EXPECT_LE(arena.capacity(), kMinArenaBytes) << page_n;
    ring.ensure_capacity(std::min(page_n - 1, kBatchN));
    EXPECT_LE(arena.capacity(), kMinArenaBytes) << page_n;
  }
}

TYPED_TEST(Deltas, LookbacksOutsideTheWindowAreFound) {
  using L = TypeParam;
  const std::size_t window_n = 8;
  for (const std::uint32_t bad : {0u, 9u, 1000u, ~0u}) {
    for (const std::size_t n : {std::size_t{4}, std::size_t{21}, kBatchN}) {
      for (std::size_t at = 0; at < n; ++at) {
        Arena arena(std::pmr::new_delete_resource());
        LookbackRing<L> ring;
        const std::vector<L> state(8, 1);
        ring.start(arena, window_n, 1000, state);
        std::vector<std::uint32_t> lookbacks(n);
        for (std::size_t i = 0; i < n; ++i) lookbacks[i] = static_cast<std::uint32_t>(1 + i % 8);
        const std::vector<L> deltas(n, 0);
        std::vector<L> behind(n);
        lookbacks[at] = bad;
        EXPECT_FALSE(
            undo_lookback(window_n, lookbacks.data(), deltas.data(), n, ring, behind.data()));
        EXPECT_EQ(ring.end(), 8u);
        EXPECT_FALSE(decode_lookback(window_n, lookbacks.data(), deltas.data(), n, ring));
        EXPECT_EQ(ring.end(), 8 + n);
      }
    }
  }
}

// Distances within a vector, to the vectors before it, and beyond. The shifted latents overwrite
// the deltas. What the kernel rejects is decoded by the generic path.
template <class L>
void expect_lookbacks_undone(std::size_t max_distance, const std::vector<L>& numbers,
                             Random& random, std::size_t& by_kernel) {
  const std::size_t window_n = std::bit_ceil(max_distance);
  Arena arena(std::pmr::new_delete_resource());
  std::vector<L> page = {numbers[0]};
  LookbackRing<L> ring;
  ring.start(arena, window_n, numbers.size(), page);
  std::size_t longest = kBatchN;
  while (page.size() < numbers.size()) {
    if (random.one_in(8)) longest = random.between(1, kBatchN);
    const std::size_t begin = page.size();
    const std::size_t batch_n = std::min(longest, numbers.size() - begin);
    std::vector<L> deltas(numbers.begin() + static_cast<std::ptrdiff_t>(begin - 1),
                          numbers.begin() + static_cast<std::ptrdiff_t>(begin - 1 + batch_n));
    std::vector<std::uint32_t> lookbacks(batch_n);
    for (std::size_t i = 0; i < batch_n; ++i) {
      const std::size_t reach = std::min(max_distance, page.size());
      lookbacks[i] = static_cast<std::uint32_t>(random.between(1, reach));
      page.push_back(static_cast<L>(page[page.size() - lookbacks[i]] + deltas[i]));
    }
    if (undo_lookback(window_n, lookbacks.data(), deltas.data(), batch_n, ring, deltas.data())) {
      ++by_kernel;
      for (std::size_t i = 0; i < batch_n; ++i) ASSERT_EQ(deltas[i], page[begin + i - 1]);
    } else {
      ASSERT_EQ(ring.end(), begin);
      ASSERT_TRUE(decode_lookback(window_n, lookbacks.data(), deltas.data(), batch_n, ring));
    }
    std::vector<L> given(batch_n);
    ring.copy(begin, batch_n, given.data());
    for (std::size_t i = 0; i < batch_n; ++i) ASSERT_EQ(given[i], page[begin + i]) << max_distance;
  }
}

TYPED_TEST(Deltas, LookbackKernelsMatchTheGenericPath) {
  using L = TypeParam;
  Random random(23);
  for_each_target([&] {
    for (const std::size_t max_distance : {1, 2, 7, 20, 40, 70, 500, 5000}) {
      std::size_t by_kernel = 0;
      for (int round = 0; round < 10; ++round) {
        expect_lookbacks_undone<L>(max_distance, this->latents(6000, random), random, by_kernel);
        if (::testing::Test::HasFatalFailure()) return;
      }
      if (active_cpu_target().starts_with("avx512")) {
        EXPECT_GT(by_kernel, 100u);
      }
    }
  });
}

Conv1 random_conv1(unsigned bits, Random& random) {
  Conv1 conv;
  do {
    // Small orders, which have loops of their own, or any order.
    const std::size_t max_distance = random.one_in(2) ? 8 : kMaxConv1Order;
    conv.order = static_cast<unsigned>(random.between(1, max_distance));
    conv.quantization = static_cast<unsigned>(random.below(std::min(2 * bits, 32u)));
    conv.bias = static_cast<std::int64_t>(random.bits(static_cast<unsigned>(random.below(40)))) -
                (std::int64_t{1} << random.below(38));
    const auto width = static_cast<unsigned>(random.below(bits - 1));
    for (unsigned j = 0; j < conv.order; ++j) {
      const auto weight = static_cast<std::int32_t>(random.bits(width));
      conv.weights[j] = random.one_in(2) ? weight : -weight;
    }
  } while (!conv.is_valid(bits));
  return conv;
}

template <Latent L>
L naive_prediction(const Conv1& conv, const std::vector<L>& latents, std::size_t at) {
  // No sum needs more bits where Conv1::is_valid().
  std::int64_t sum = conv.bias;
  for (unsigned j = 0; j < conv.order; ++j) {
    sum += std::int64_t{conv.weights[j]} * std::int64_t{latents[at - conv.order + j]};
  }
  return static_cast<L>((sum < 0 ? 0 : sum) >> conv.quantization);
}

TYPED_TEST(Deltas, Conv1MatchesTheDefinition) {
  using L = TypeParam;
  if constexpr (sizeof(L) <= 4) {
    Random random(23);
    for (int round = 0; round < 400; ++round) {
      const Conv1 conv = random_conv1(kBits<L>, random);
      const std::size_t n = random.one_in(2) ? random.pick(kCounts) : random.below(3000);
      const std::vector<L> latents = this->latents(n, random);
      std::vector<L> state(conv.order, 99);
      std::vector<L> deltas = latents;
      for_each_target([&] {
        deltas = latents;
        encode_conv1(conv, std::span<L>(state), deltas.data(), n);
        for (std::size_t j = 0; j < conv.order; ++j) ASSERT_EQ(state[j], j < n ? latents[j] : L{0});
        for (std::size_t at = conv.order; at < n; ++at) {
          const L prediction = naive_prediction(conv, latents, at);
          ASSERT_EQ(deltas[at - conv.order], static_cast<L>(latents[at] - prediction + kMid<L>));
        }
      });
      deltas = not_centred(deltas);
      for_each_target([&] {
        const auto back = decode_batches<History<L>>(
            conv.order, state, n, [&](std::size_t at, std::size_t count, auto& history) {
              decode_conv1(conv, deltas.data() + at, count, history);
            });
        ASSERT_EQ(back, latents) << "round " << round << ", order " << conv.order;
      });
      if (::testing::Test::HasFatalFailure()) return;
    }
  } else {
    EXPECT_FALSE(Conv1{}.is_valid(64));
  }
}

// Weights whose sum is next to the limit of the format, in any order, and a bias that uses the
// rest.
Conv1 extreme_conv1(unsigned bits, unsigned order, Random& random) {
  Conv1 conv;
  conv.order = order;
  conv.quantization = static_cast<unsigned>(random.below(std::min(2 * bits, 32u)));
  std::uint64_t rest = (std::uint64_t{1} << (bits - 1)) - 1;
  for (unsigned j = 0; j < order; ++j) {
    const std::uint64_t size = random.one_in(order) ? rest : random.below(rest / 2 + 1);
    rest -= size;
    const auto weight = static_cast<std::int32_t>(size);
    conv.weights[j] = random.one_in(2) ? weight : -weight;
  }
  for (unsigned j = order - 1; j > 0; --j) {
    std::swap(conv.weights[j], conv.weights[random.below(j + 1)]);
  }
  conv.bias = static_cast<std::int64_t>(random.below((rest << bits) + (std::uint64_t{1} << bits)));
  if (random.one_in(2)) conv.bias = -conv.bias;
  return conv;
}

// The latents that deltas, not centred, stand for.
template <Latent L>
std::vector<L> naive_conv1(const Conv1& conv, const std::vector<L>& state,
                           const std::vector<L>& deltas) {
  std::vector<L> latents = state;
  for (const L delta : deltas) {
    latents.push_back(L{0});
    const L prediction = naive_prediction(conv, latents, latents.size() - 1);
    latents.back() = static_cast<L>(delta + prediction);
  }
  return latents;
}

// Decodes the first deltas in one batch and the rest in another, with every instruction set.
template <Latent L>
void expect_decoded(const Conv1& conv, const std::vector<L>& state, const std::vector<L>& deltas,
                    std::size_t first) {
  const std::vector<L> expected = naive_conv1(conv, state, deltas);
  for_each_target([&] {
    Arena arena(std::pmr::new_delete_resource());
    History<L> history;
    history.start(arena, expected.size(), expected.size(), state);
    decode_conv1(conv, deltas.data(), first, history);
    decode_conv1(conv, deltas.data() + first, deltas.size() - first, history);
    std::vector<L> back(expected.size());
    history.copy(0, back.size(), back.data());
    ASSERT_EQ(back, expected) << "order " << conv.order << ", quantization " << conv.quantization;
  });
}

// Every order; batches of any size, the next one resuming the last; sums at the limits; latents and
// deltas of one value or any, so that sums change their sign and latents wrap.
TYPED_TEST(Deltas, Conv1DecodesExtremesOfEveryOrder) {
  using L = TypeParam;
  if constexpr (sizeof(L) <= 4) {
    Random random(57);
    for (unsigned round = 0; round < 40 * kMaxConv1Order; ++round) {
      const Conv1 conv = extreme_conv1(kBits<L>, 1 + round % kMaxConv1Order, random);
      if (!conv.is_valid(kBits<L>)) continue;
      std::vector<L> state = this->latents(conv.order, random);
      if (random.one_in(4)) std::fill(state.begin(), state.end(), static_cast<L>(~L{0}));
      std::vector<L> deltas = this->latents(random.below(3 * kBatchN), random);
      if (random.one_in(4)) std::fill(deltas.begin(), deltas.end(), L{0});
      expect_decoded(conv, state, deltas, random.below(deltas.size() + 1));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

// Every order with the least and the largest quantization, and sums of -1, 0 and more.
TYPED_TEST(Deltas, Conv1DecodesAtTheBoundsOfQuantization) {
  using L = TypeParam;
  if constexpr (sizeof(L) <= 4) {
    Random random(59);
    const std::vector<L> zeros(kBatchN, L{0});
    const std::vector<L> largest(kBatchN, static_cast<L>(~L{0}));
    for (unsigned order = 1; order <= kMaxConv1Order; ++order) {
      for (const unsigned quantization : {0u, std::min(2 * kBits<L>, 32u) - 1}) {
        std::vector<Conv1> all(3);
        for (Conv1& conv : all) conv.order = order;
        all[0].bias = -1;
        all[2] = extreme_conv1(kBits<L>, order, random);
        for (Conv1& conv : all) {
          conv.quantization = quantization;
          if (!conv.is_valid(kBits<L>)) continue;
          const std::vector<L> state(order, static_cast<L>(~L{0}));
          for (const auto& deltas : {zeros, largest, this->latents(kBatchN + 3, random)}) {
            expect_decoded(conv, state, deltas, deltas.size() / 3);
            if (::testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

// A batch writes its latents alone.
TYPED_TEST(Deltas, Conv1WritesNoMoreThanABatch) {
  using L = TypeParam;
  if constexpr (sizeof(L) <= 4) {
    Random random(58);
    for (unsigned order = 1; order <= kMaxConv1Order; ++order) {
      const Conv1 conv = extreme_conv1(kBits<L>, order, random);
      if (!conv.is_valid(kBits<L>)) continue;
      for (std::size_t n = 0; n <= 40; ++n) {
        const std::vector<L> state = this->latents(order, random);
        const std::vector<L> deltas = this->latents(n, random);
        std::vector<L> expected = naive_conv1(conv, state, deltas);
        expected.resize(order + n + 64, L{99});
        for_each_target([&] {
          std::vector<L> buffer = state;
          buffer.resize(expected.size(), L{99});
          undo_conv1(conv, deltas.data(), n, buffer.data() + order);
          ASSERT_EQ(buffer, expected) << "order " << order << ", n " << n;
        });
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

// Several pages at once, of random latents or extremes, each with a state of its own.
TYPED_TEST(Deltas, Conv1DecodesPagesAtOnce) {
  using L = TypeParam;
  if constexpr (kHasConv1Pages<L>) {
    Random random(60);
    for (unsigned round = 0; round < 10 * kMaxConv1Order; ++round) {
      const Conv1 conv = extreme_conv1(kBits<L>, 1 + round % kMaxConv1Order, random);
      if (!conv.is_valid(kBits<L>)) continue;
      const std::size_t page_n = random.between(1, kConv1PagesN);
      std::vector<std::vector<L>> deltas;
      std::vector<std::vector<L>> expected;
      for (std::size_t page = 0; page < page_n; ++page) {
        std::vector<L> state = this->latents(conv.order, random);
        if (random.one_in(4)) std::fill(state.begin(), state.end(), static_cast<L>(~L{0}));
        deltas.push_back(this->latents(2 * kBatchN, random));
        if (random.one_in(4)) std::fill(deltas[page].begin(), deltas[page].end(), L{0});
        expected.push_back(naive_conv1(conv, state, deltas[page]));
      }
      for_each_target([&] {
        Conv1Pages pages;
        pages.start<L>(conv);
        for (std::size_t page = 0; page < page_n; ++page) {
          pages.set_state(page, expected[page].data());
        }
        std::vector<std::vector<L>> back(page_n, std::vector<L>(2 * kBatchN + conv.order));
        for (std::size_t at = 0; at < 2 * kBatchN; at += kBatchN) {
          for (std::size_t page = 0; page < page_n; ++page) {
            pages.set_deltas(page, deltas[page].data() + at);
          }
          pages.undo();
          for (std::size_t page = 0; page < page_n; ++page) {
            pages.get_latents(page, back[page].data() + at);
          }
          pages.advance();
        }
        for (std::size_t page = 0; page < page_n; ++page) {
          pages.get_state(page, back[page].data() + 2 * kBatchN);
        }
        ASSERT_EQ(back, expected) << "order " << conv.order << ", round " << round;
      });
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Conv1Limits, AreThoseOfTheFormat) {
  Conv1 conv;
  conv.weights[0] = 1;
  EXPECT_TRUE(conv.is_valid(8));
  conv.quantization = 15;
  EXPECT_TRUE(conv.is_valid(8));
  conv.quantization = 16;
  EXPECT_FALSE(conv.is_valid(8));
  conv.quantization = 31;
  EXPECT_TRUE(conv.is_valid(16));
  EXPECT_TRUE(conv.is_valid(32));
  conv.quantization = 0;
  conv.weights[0] = -127;  // 2^8 * 127 = 2^15 - 256
  conv.bias = 255;
  EXPECT_TRUE(conv.is_valid(8));
  conv.bias = -256;
  EXPECT_FALSE(conv.is_valid(8));
}

}  // namespace
}  // namespace numpact::testing

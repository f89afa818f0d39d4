// SPDX-License-Identifier: Apache-2.0
// Indices into entries that are sorted by value move as smoothly as the numbers do; sorted by
// frequency, rare ones are close together and can share bins; by first appearance, those that come
// up together are near each other.
#include "pco/encode/modes/dict.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "pco/encode/conv1/fit.hpp"
#include "pco/encode/estimate/coarse.hpp"
#include "pco/mode/value_index.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/log2.hpp"
#include "pco/stats/sort.hpp"

namespace numpact {
namespace {

// Of what the numbers take without a dictionary, its entries may take this share.
constexpr float kMostEntryShare = 0.5f;
// And there must be this few of them.
constexpr float kMostDistinct = 1.0f / 8;
// With fewer bits for each number there is nothing to gain.
constexpr float kMinBits = 1;
// Without delta exact bins do as well as a dictionary: its entropy must promise this share.
constexpr float kPromise = 0.96f;
// Where most values were seen once, their entropy is a guess, and a low one: it must promise more.
constexpr float kPromiseOfGuess = 0.15f;
// So are rough costs of their places among the entries.
constexpr float kRoughGuess = 0.02f;
// Ways whose rough costs are over the least by more are not weighed.
constexpr float kClose = 1.2f;

// So many of the first indices tell orders apart, roughly.
constexpr std::size_t kEnoughN = kMostRoughN / 2;
// What an estimate without a delta may be over a rough one.
constexpr float kRoughSlackBits = 0.4f;

// How much of what lies between the values of a first look may count in the end: neighbours lie
// near each other.
constexpr float kFirstHope = 0.3f;
// By how much Conv1 may make up for what Consecutive takes too much.
constexpr float kConv1Hope = 1.1f;

enum class EntryOrder { kAppearance, kFrequency, kValue };
constexpr EntryOrder kEntryOrders[] = {EntryOrder::kAppearance, EntryOrder::kFrequency,
                                       EntryOrder::kValue};

// Distinct latents, numbered in the order of their first appearance.
template <Latent L>
class Entries {
 public:
  Entries(std::span<const L> latents, std::size_t most, Arena& arena)
      : index_(most, arena), counts_(arena.make<std::uint32_t>(most)) {
    std::fill(counts_.begin(), counts_.end(), 0);
    std::uint32_t* const counts = counts_.data();
    is_complete_ = index_.add_all(
        latents, [counts](std::uint32_t number, std::uint32_t times) { counts[number] += times; });
  }

  // False if there are too many.
  bool is_complete() const { return is_complete_; }
  std::size_t size() const { return index_.values().size(); }
  std::span<const std::uint32_t> counts() const { return counts_.first(size()); }
  std::size_t total() const { return std::accumulate(counts().begin(), counts().end(), 0u); }
  std::size_t seen(std::uint32_t times) const {
    return static_cast<std::size_t>(std::count(counts().begin(), counts().end(), times));
  }

  // The numbers of the entries, in an order.
  std::span<const std::uint32_t> sorted(EntryOrder order, Arena& arena) const {
    const std::span<std::uint32_t> numbers = arena.make<std::uint32_t>(size());
    if (order == EntryOrder::kValue) {
      sort_by_value(numbers, arena);
    } else if (order == EntryOrder::kFrequency) {
      sort_by_frequency(numbers, arena);
    } else {
      std::iota(numbers.begin(), numbers.end(), 0u);
    }
    return numbers;
  }

  // Where in the order each of the latents stands, which must be among the entries.
  LatentArray indices(std::span<const L> latents, EntryOrder order, Arena& arena) const {
    const std::span<std::uint32_t> result = arena.make<std::uint32_t>(latents.size());
    const ArenaScope scratch(arena);
    const std::span<const std::uint32_t> numbers = sorted(order, arena);
    const std::span<std::uint32_t> places = arena.make<std::uint32_t>(size());
    for (std::uint32_t i = 0; i < numbers.size(); ++i) places[numbers[i]] = i;
    index_.find_all(latents, result.data());
    for (std::uint32_t& at : result) at = places[at];
    return LatentArray(result);
  }

  Dict dict(EntryOrder order, Arena& arena) const {
    const std::span<L> entries = arena.make<L>(size());
    const ArenaScope scratch(arena);
    const std::span<const std::uint32_t> numbers = sorted(order, arena);
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = index_.values()[numbers[i]];
    return Dict{entries.data(), entries.size()};
  }

 private:
  // Sorting the values and looking their numbers up is faster than sorting the numbers.
  void sort_by_value(std::span<std::uint32_t> numbers, Arena& arena) const {
    const ArenaScope scratch(arena);
    const std::span<const L> values = index_.values();
    const Range<L> range = range_of(values);
    const std::span<const L> sorted = sorted_copy(values, range.lower, range.upper, arena);
    index_.find_all(sorted, numbers.data());
  }

  // Equally frequent ones by value. Most are rare, so their places are counted.
  void sort_by_frequency(std::span<std::uint32_t> numbers, Arena& arena) const {
    const ArenaScope scratch(arena);
    const std::span<std::uint32_t> by_value = arena.make<std::uint32_t>(numbers.size());
    sort_by_value(by_value, arena);
    constexpr std::uint32_t kRare = 256;
    std::array<std::uint32_t, kRare> ends{};
    for (const std::uint32_t count : counts()) ++ends[std::min(count, kRare - 1)];
    std::uint32_t end = 0;
    for (std::uint32_t count = kRare; count-- > 0;) {
      const std::uint32_t first = end;
      end += ends[count];
      ends[count] = first;
    }
    for (const std::uint32_t number : by_value) {
      numbers[ends[std::min(counts_[number], kRare - 1)]++] = number;
    }
    const std::span<const L> values = index_.values();
    std::sort(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(ends[kRare - 1]),
              [&](std::uint32_t a, std::uint32_t b) {
                return counts_[a] != counts_[b] ? counts_[a] > counts_[b] : values[a] < values[b];
              });
  }

  ValueIndex<L> index_;
  std::span<std::uint32_t> counts_;
  bool is_complete_ = true;
};

// A variable's order of entries and delta, and its cost: rough at first.
struct Way {
  EntryOrder order = EntryOrder::kFrequency;
  AnyDelta delta;
  float bits = HUGE_VALF;
};

// Of some of the indices. What seems to follow each other because it is new may stand anywhere.
float rough_delta_bits(std::span<const std::uint32_t> indices, std::size_t run_n, float scale,
                       EntryOrder order, std::size_t most_n = kMostRoughN) {
  std::array<std::uint32_t, kMostRoughN> deltas;
  std::size_t n = 0;
  std::size_t new_n = 0;
  std::uint32_t most = 0;
  for (std::size_t begin = 0; begin < indices.size() && n < most_n; begin += run_n) {
    const std::span<const std::uint32_t> rest = indices.subspan(begin);
    const std::span<const std::uint32_t> run = rest.first(std::min(run_n, rest.size()));
    most = std::max(most, run[0]);
    for (std::size_t i = 1; i < run.size() && n < most_n; ++i) {
      const bool is_new = order == EntryOrder::kAppearance && run[i] > most;
      most = std::max(most, run[i]);
      deltas[n] = run[i] - run[i - 1] + kMid<std::uint32_t>;
      n += is_new ? 0 : 1;
      new_n += is_new ? 1 : 0;
    }
  }
  const float known = static_cast<float>(n);
  const float unknown = static_cast<float>(new_n);
  const float bits = rough_bits(std::span<const std::uint32_t>(deltas.data(), n), true, scale);
  return (known * bits + unknown * fast_log2(static_cast<float>(most + 1))) / (known + unknown + 1);
}

// Orders of the entries and deltas of their indices, without the entries themselves.
template <Latent L>
Way weigh_orders(const Entries<L>& entries, const Sample& sample, float to_beat,
                 const ChooseEffort& effort, Arena& arena) {
  std::array<LatentArray, std::size(kEntryOrders)> indices;
  std::array<float, std::size(kEntryOrders)> rough;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    indices[i] =
        entries.indices(std::span<const L>(sample.latents.as<L>()), kEntryOrders[i], arena);
    rough[i] = rough_delta_bits(indices[i].as<std::uint32_t>(), sample.run_n, sample.scale,
                                kEntryOrders[i], kEnoughN);
  }
  // Without delta the order by frequency is never much worse than others.
  constexpr std::size_t kByFrequency = 1;
  static_assert(kEntryOrders[kByFrequency] == EntryOrder::kFrequency);
  Way best{EntryOrder::kFrequency, NoDelta{},
           weigh_consecutive(sample, indices[kByFrequency], 0, arena)};
  const float least =
      std::min(*std::min_element(rough.begin(), rough.end()), best.bits + kRoughSlackBits);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const EntryOrder order = kEntryOrders[i];
    if (rough[i] > kClose * least) continue;
    const float bits = weigh_consecutive(sample, indices[i], 1, arena);
    if (bits < best.bits) best = {order, Consecutive{1, false}, bits};
    if (order == EntryOrder::kValue && bits < kConv1Hope * std::min(to_beat, best.bits)) {
      const std::optional<WeighedConv1> conv =
          weigh_conv1(sample, indices[i], best.bits, effort, arena);
      if (conv) best = {order, conv->conv, conv->bits};
    }
  }
  return best;
}

// Bits of a value drawn like those counted, of which there are n, where `expected` different ones
// exist: those seen once stand for all that were seen once or not at all.
float expected_entropy(std::span<const std::uint32_t> counts, float n, float expected) {
  float bits = 0;
  float once = 0;
  for (const std::uint32_t count : counts) {
    if (count == 1) {
      once += 1;
    } else {
      bits += static_cast<float>(count) * fast_log2(n / static_cast<float>(count));
    }
  }
  if (once == 0) return bits / n;
  const float rare = expected - static_cast<float>(counts.size()) + once;
  return (bits + once * fast_log2(rare * n / once)) / n;
}

// As many different ones again must be expected as those seen once and twice tell (Chao's
// estimate).
template <Latent L>
float expected_size(const Entries<L>& entries) {
  const float once = static_cast<float>(entries.seen(1));
  const float twice = static_cast<float>(entries.seen(2) + 1);
  return static_cast<float>(entries.size()) + once * once / (2 * twice);
}

// Whether a few of the sample's latents let hope for less.
template <Latent L>
class Look {
 public:
  Look(const Sample& sample, std::size_t most, float entry_bits, const Weighed& to_beat,
       float promise, Arena& arena)
      : sample_(sample),
        few_(take_few(sample, kMostRoughN, arena)),
        entries_(latents(few_), std::min(most, few_.latents.n), arena),
        most_(std::min(static_cast<float>(most),
                       kMostDistinct * sample.scale * static_cast<float>(sample.latents.n))),
        entry_bits_(entry_bits),
        to_beat_(to_beat),
        wanted_share_(1 - promise) {}

  bool is_promising(Arena& arena) {
    if (!entries_.is_complete()) return false;
    const bool is_all = few_.latents.n == sample_.latents.n;
    if (!may_pay(entries_, is_all ? 1 : kFirstHope, arena)) return false;
    if (is_all) return true;
    const Entries<L> more(latents(sample_), static_cast<std::size_t>(most_), arena);
    return more.is_complete() && may_pay(more, 1, arena);
  }

 private:
  static std::span<const L> latents(const Sample& sample) { return sample.latents.as<L>(); }

  // entries: of the few latents, or of more.
  bool may_pay(const Entries<L>& entries, float hope, Arena& arena) {
    const bool is_all = sample_.scale <= 1 && few_.latents.n == sample_.latents.n;
    const float seen = static_cast<float>(entries.size());
    const float expected = is_all ? seen : expected_size(entries);
    if (expected > most_) return false;
    const float taken = expected * entry_bits_;
    const float total = static_cast<float>(entries.total());
    const float once = is_all ? 0 : static_cast<float>(entries.seen(1)) / total;
    const float wanted = std::min(kPromise, wanted_share_) - kPromiseOfGuess * once;
    if (expected_entropy(entries.counts(), total, expected) < wanted * (to_beat_.bits - taken)) {
      return true;
    }
    // Between those seen come the others.
    const float between = fast_log2(expected / seen);
    // Rough costs are wrong alike.
    const float rough_wanted = wanted_share_ - kRoughGuess * once;
    const float enough =
        rough_wanted * rough_to_beat(arena) * (1 - taken / to_beat_.bits) - hope * between;
    for (const EntryOrder order : kEntryOrders) {
      const LatentArray indices = entries.indices(latents(few_), order, arena);
      const std::span<const std::uint32_t> places = indices.as<std::uint32_t>();
      if (rough_delta_bits(places, few_.run_n, few_.scale, order) < enough) return true;
    }
    return false;
  }

  // Most looks end before it is needed.
  float rough_to_beat(Arena& arena) {
    if (!rough_to_beat_) rough_to_beat_ = rough_cost(to_beat_.mode, few_, arena).bits();
    return *rough_to_beat_;
  }

  const Sample& sample_;
  Sample few_;
  Entries<L> entries_;
  float most_;
  float entry_bits_;
  const Weighed& to_beat_;
  float wanted_share_;
  std::optional<float> rough_to_beat_;
};

template <Latent L>
std::optional<Weighed> weigh(std::span<const L> ordered, const Sample& sample,
                             const Weighed& to_beat, const ChooseEffort& effort, Arena& arena) {
  const float entry_bits = float{kBits<L>} / static_cast<float>(ordered.size());
  const std::size_t most = static_cast<std::size_t>(kMostEntryShare * to_beat.bits / entry_bits);
  const Arena::Mark mark = arena.mark();
  const bool is_promising =
      Look<L>(sample, most, entry_bits, to_beat, effort.dict_promise, arena).is_promising(arena);
  arena.rewind(mark);
  if (!is_promising) return std::nullopt;
  const std::size_t most_distinct =
      static_cast<std::size_t>(kMostDistinct * static_cast<float>(ordered.size()));
  const Entries<L> entries(ordered, std::min(most, most_distinct), arena);
  if (!entries.is_complete()) {
    arena.rewind(mark);
    return std::nullopt;
  }
  const float all_entry_bits = entry_bits * static_cast<float>(entries.size());
  const Way best = weigh_orders(entries, sample, to_beat.bits - all_entry_bits, effort, arena);
  return Weighed{entries.dict(best.order, arena), best.delta, best.bits + all_entry_bits, 0};
}

}  // namespace

std::optional<Weighed> weigh_dict(const LatentArray& ordered, const Sample& sample,
                                  const Weighed& to_beat, const ChooseEffort& effort,
                                  Arena& arena) {
  if (to_beat.bits < kMinBits) return std::nullopt;
  if (to_beat.bits * static_cast<float>(ordered.n) < effort.dict_least_bits) return std::nullopt;
  return ordered.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    return weigh(std::span<const L>(latents), sample, to_beat, effort, arena);
  });
}

}  // namespace numpact

// SPDX-License-Identifier: Apache-2.0
// Indices into entries that are sorted by value move as smoothly as the numbers do; sorted by
// frequency, rare ones are close together and can share bins; by first appearance, those that come
// up together are near each other.
#include "pco/choose/weigh_dict.hpp"

#include <algorithm>
#include <numeric>

#include "pco/choose/conv1_fit.hpp"
#include "pco/mode/value_index.hpp"

namespace numpact {
namespace {

// Of what the numbers take without a dictionary, its entries may take this share.
constexpr float kMostEntryShare = 0.5f;
// With fewer bits for each number there is nothing to gain.
constexpr float kMinBits = 0.1f;
// How much better the real entries may be than those of the sample.
constexpr float kHope = 1.01f;

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
    for (const L latent : latents) {
      const std::uint32_t number = index_.add(latent);
      is_complete_ = number != ValueIndex<L>::kNone;
      if (!is_complete_) return;
      ++counts_[number];
    }
  }

  // False if there are too many.
  bool is_complete() const { return is_complete_; }
  std::size_t size() const { return index_.values().size(); }
  std::size_t seen(std::uint32_t times) const {
    return static_cast<std::size_t>(
        std::count(counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(size()), times));
  }

  // The numbers of the entries, in an order.
  std::span<const std::uint32_t> sorted(EntryOrder order, Arena& arena) const {
    const std::span<std::uint32_t> numbers = arena.make<std::uint32_t>(size());
    std::iota(numbers.begin(), numbers.end(), 0u);
    const std::span<const L> values = index_.values();
    if (order == EntryOrder::kValue) {
      std::sort(numbers.begin(), numbers.end(),
                [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
    } else if (order == EntryOrder::kFrequency) {
      std::sort(numbers.begin(), numbers.end(), [&](std::uint32_t a, std::uint32_t b) {
        return counts_[a] != counts_[b] ? counts_[a] > counts_[b] : values[a] < values[b];
      });
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
    for (std::size_t i = 0; i < latents.size(); ++i) {
      result[i] = places[index_.find(latents[i])];
    }
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
  ValueIndex<L> index_;
  std::span<std::uint32_t> counts_;
  bool is_complete_ = true;
};

struct Best {
  EntryOrder order = EntryOrder::kFrequency;
  AnyDelta delta;
  float bits = HUGE_VALF;
};

// Orders of the entries and deltas of their indices, without the entries themselves.
template <Latent L>
Best weigh_orders(const Entries<L>& entries, const Sample& sample, const ChooseEffort& effort,
                  Arena& arena) {
  Best best;
  for (const EntryOrder order : kEntryOrders) {
    const ArenaScope scratch(arena);
    const LatentArray indices =
        entries.indices(std::span<const L>(sample.latents.as<L>()), order, arena);
    // Without delta the order by frequency is never much worse than others.
    const unsigned first = order == EntryOrder::kFrequency ? 0 : 1;
    const unsigned last = order == EntryOrder::kValue ? std::min(effort.max_order, 2u) : 1;
    for (unsigned delta = first; delta <= last; ++delta) {
      const float bits = weigh_consecutive(sample, indices, delta, arena);
      if (bits < best.bits) {
        best = {order, delta == 0 ? AnyDelta(NoDelta{}) : Consecutive{delta, false}, bits};
      }
    }
    if (order == EntryOrder::kValue && best.order == order && effort.max_conv1_order > 0) {
      const std::optional<WeighedConv1> conv =
          weigh_conv1(sample, indices, best.bits, effort, arena);
      if (conv) best = {order, conv->conv, conv->bits};
    }
  }
  return best;
}

template <Latent L>
std::optional<Weighed> weigh(std::span<const L> ordered, const Sample& sample, float to_beat,
                             const ChooseEffort& effort, Arena& arena) {
  const float n = static_cast<float>(ordered.size());
  const auto entry_bits = [&](float entries) { return entries * float{kBits<L>} / n; };
  const std::size_t most = static_cast<std::size_t>(kMostEntryShare * to_beat / entry_bits(1));
  const std::span<const L> sampled(sample.latents.as<L>());
  const bool is_whole = sampled.size() == ordered.size();
  {
    const ArenaScope scratch(arena);
    const Entries<L> few(sampled, std::min(most, sampled.size()), arena);
    if (!few.is_complete()) return std::nullopt;
    // As many again must be expected as those seen once and twice tell (Chao's estimate).
    const float once = is_whole ? 0 : static_cast<float>(few.seen(1));
    const float twice = static_cast<float>(few.seen(2) + 1);
    const float expected = static_cast<float>(few.size()) + once * once / (2 * twice);
    if (expected > static_cast<float>(most)) return std::nullopt;
    const Best best = weigh_orders(few, sample, effort, arena);
    if (best.bits + entry_bits(expected) > kHope * to_beat) return std::nullopt;
  }
  const Arena::Mark mark = arena.mark();
  const Entries<L> entries(ordered, std::min(most, ordered.size()), arena);
  if (!entries.is_complete()) {
    arena.rewind(mark);
    return std::nullopt;
  }
  const Best best = weigh_orders(entries, sample, effort, arena);
  return Weighed{entries.dict(best.order, arena), best.delta,
                 best.bits + entry_bits(static_cast<float>(entries.size())), 0};
}

}  // namespace

std::optional<Weighed> weigh_dict(const LatentArray& ordered, const Sample& sample, float to_beat,
                                  const ChooseEffort& effort, Arena& arena) {
  if (to_beat < kMinBits) return std::nullopt;
  return ordered.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    return weigh(std::span<const L>(latents), sample, to_beat, effort, arena);
  });
}

}  // namespace numpact

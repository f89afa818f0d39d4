// SPDX-License-Identifier: Apache-2.0
#include "pco/page/page_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "base/try.hpp"
#include "number/ordered.hpp"
#include "pco/latent/latent_decoder.hpp"
#include "pco/page/variable_decoder.hpp"

namespace numpact {
namespace {

Status truncated(const BitWindow& window) {
  return Status(ErrorKind::kTruncated, "the input ends inside a page", window.bytes.size());
}

// L: latents as wide as the numbers. P: primary latents, L or dictionary indices.
template <Latent L, Latent P>
struct Tables final : ChunkTables {
  const ChunkMeta* meta = nullptr;
  LatentTables<std::uint32_t> delta;
  LatentTables<P> primary;
  LatentTables<L> secondary;
  // Bytes that a batch can take at most, with what kernels read beyond it.
  std::size_t max_batch_bytes = 0;

  PageDecoder* make_page_decoder(Arena& arena) const override;
};

template <Latent L, Latent P>
class Decoder final : public PageDecoder {
 public:
  Decoder(const Tables<L, P>& tables, Arena& arena)
      : tables_(tables),
        meta_(*tables.meta),
        arena_(arena),
        delta_(tables.delta, 0),
        primary_(tables.primary, meta_.state_n(kPrimaryVariable)),
        secondary_(tables.secondary, meta_.state_n(kSecondaryVariable)) {}

  Status start(BitWindow& window, std::size_t page_n, bool& more) override {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kVariables; ++i) bits += head_bits(i);
    more = false;
    if (window.position + bits + 7 > 8 * std::uint64_t{window.bytes.size()} && !window.is_last) {
      more = true;
      return {};
    }
    numbers_left_ = page_n;
    to_decode_ = page_n;
    pending_ = {};
    NUMPACT_TRY(check_bins(window, page_n));
    BitReader reader(window.bytes, window.position);
    delta_.start(reader, arena_, meta_, kDeltaVariable, page_n);
    primary_.start(reader, arena_, meta_, kPrimaryVariable, page_n);
    secondary_.start(reader, arena_, meta_, kSecondaryVariable, page_n);
    NUMPACT_TRY(reader.status());
    NUMPACT_TRY(reader.finish_byte("padding after the page's states is not zero"));
    window.position = reader.bit_position();
    return {};
  }

  Status decode(BitWindow& window, std::size_t n, void* out, std::size_t& done,
                bool& more) override {
    L* const numbers = static_cast<L*>(out);
    n = std::min(n, numbers_left_);
    done = 0;
    more = false;
    while (done < n) {
      if (!pending_.empty()) {
        const std::size_t count = std::min(n - done, pending_.size());
        std::copy_n(pending_.data(), count, numbers + done);
        pending_ = pending_.subspan(count);
        done += count;
        continue;
      }
      const std::size_t batch_n = std::min(kBatchN, to_decode_);
      const bool fits = n - done >= batch_n;
      L* const batch = fits ? numbers + done : batch_;
      NUMPACT_TRY(decode_batch(window, batch_n, batch, more));
      if (more) break;
      to_decode_ -= batch_n;
      if (fits) {
        done += batch_n;
      } else {
        pending_ = std::span<const L>(batch_, batch_n);
      }
    }
    numbers_left_ -= done;
    return {};
  }

  Status skip(BitWindow& window, std::array<PageVariableSizes, kVariables>& sizes,
              std::size_t& done) override {
    done = std::min(kBatchN, to_decode_);
    if (to_decode_ == numbers_left_ && !heads_counted_) {
      for (std::size_t i = 0; i < kVariables; ++i) sizes[i].state_bits += head_bits(i);
      heads_counted_ = true;
    }
    const std::byte* in = nullptr;
    std::uint64_t position = 0;
    bool more = false;
    if (!enter_batch(window, in, position, more)) return truncated(window);
    const std::uint64_t begin = position;
    delta_.skip(in, position, sizes[kDeltaVariable]);
    primary_.skip(in, position, sizes[kPrimaryVariable]);
    secondary_.skip(in, position, sizes[kSecondaryVariable]);
    window.position += position - begin;
    if (window.position > 8 * std::uint64_t{window.bytes.size()}) return truncated(window);
    to_decode_ -= done;
    numbers_left_ -= done;
    return {};
  }

 private:
  std::uint64_t head_bits(std::size_t variable) const {
    const Binning& binning = meta_.variables[variable];
    if (binning.latent_bits == 0) return 0;
    return meta_.state_n(variable) * std::uint64_t{binning.latent_bits} +
           kAnsStates * binning.ans_size_log;
  }

  // A variable without bins can store nothing. The test is on the chunk's delta state, also for a
  // variable that does not use it (docs/format/pco.md, "Bins").
  Status check_bins(const BitWindow& window, std::size_t page_n) const {
    if (page_n <= numpact::state_n(meta_.delta)) return {};
    for (const Binning& binning : meta_.variables) {
      if (binning.latent_bits != 0 && binning.bins.empty()) {
        return Status(ErrorKind::kCorrupt, "a latent variable without bins has latents",
                      window.position / 8);
      }
    }
    return {};
  }

  // Finds the bytes to decode the next batch from: in place while the worst case and what kernels
  // read beyond lie inside the window, else from a copy with zeros behind. False: wait for more.
  bool enter_batch(const BitWindow& window, const std::byte*& in, std::uint64_t& position,
                   bool& more) {
    const std::size_t at = static_cast<std::size_t>(window.position / 8);
    const std::size_t left = window.bytes.size() - at;
    position = window.position % 8;
    if (left >= tables_.max_batch_bytes) [[likely]] {
      in = window.bytes.data() + at;
      return true;
    }
    if (!window.is_last) {
      more = true;
      return false;
    }
    if (tail_.empty()) tail_ = arena_.make<std::byte>(tables_.max_batch_bytes);
    if (left > 0) std::memcpy(tail_.data(), window.bytes.data() + at, left);
    std::memset(tail_.data() + left, 0, tail_.size() - left);
    in = tail_.data();
    return true;
  }

  Status decode_batch(BitWindow& window, std::size_t n, L* out, bool& more) {
    const std::byte* in = nullptr;
    std::uint64_t position = 0;
    if (!enter_batch(window, in, position, more)) return {};
    const std::uint64_t begin = position;
    const std::size_t first_byte = static_cast<std::size_t>(window.position / 8);

    std::uint32_t lookbacks[kBatchN];
    const std::size_t lookback_n = delta_.decode(in, position, lookbacks);
    P primary_room[kBatchN];
    P* const primary = primary_target(out, primary_room);
    const std::size_t primary_n = primary_.decode(in, position, primary);
    L secondary[kBatchN];
    const std::size_t secondary_n = secondary_.decode(in, position, secondary);

    window.position += position - begin;
    if (window.position > 8 * std::uint64_t{window.bytes.size()}) return truncated(window);

    bool ok = primary_.undo_delta(meta_.delta, lookbacks, lookback_n, primary, primary_n, n);
    if (meta_.has(kSecondaryVariable)) {
      ok &= secondary_.undo_delta(meta_.delta, lookbacks, lookback_n, secondary, secondary_n, n);
    }
    if (!ok) return Status(ErrorKind::kCorrupt, "a lookback reaches past the window", first_byte);
    if (!join(primary, secondary, n, out)) {
      return Status(ErrorKind::kCorrupt, "an index reaches past the dictionary", first_byte);
    }
    from_ordered(out, n, kind_of(meta_.type), out);
    return {};
  }

  static P* primary_target(L* out, P* room) {
    if constexpr (std::is_same_v<L, P>) return out;
    return room;
  }

  // Leaves ordered latents in `out`, which `primary` may be.
  bool join(P* primary, const L* secondary, std::size_t n, L* out) const {
    if constexpr (std::is_same_v<P, std::uint32_t>) {
      if (const auto* dict = std::get_if<Dict>(&meta_.mode)) {
        return join_dict(dict->as<L>(), primary, n, out);
      }
    }
    if constexpr (std::is_same_v<L, P>) {
      if (const auto* mult = std::get_if<IntMult>(&meta_.mode)) {
        join_int_mult(static_cast<L>(mult->base), out, secondary, n);
      }
      if constexpr (FloatLatent<L>) {
        if (const auto* mult = std::get_if<FloatMult>(&meta_.mode)) {
          join_float_mult(static_cast<L>(mult->base_bits), out, secondary, n);
        } else if (const auto* quant = std::get_if<FloatQuant>(&meta_.mode)) {
          join_float_quant(quant->k, out, secondary, n);
        }
      }
    }
    return true;
  }

  const Tables<L, P>& tables_;
  const ChunkMeta& meta_;
  Arena& arena_;
  VariableDecoder<std::uint32_t> delta_;
  VariableDecoder<P> primary_;
  VariableDecoder<L> secondary_;
  std::size_t to_decode_ = 0;   // numbers in batches not yet decoded
  std::span<const L> pending_;  // decoded, not yet given out
  std::span<std::byte> tail_;
  bool heads_counted_ = false;
  L batch_[kBatchN];
};

template <Latent L, Latent P>
PageDecoder* Tables<L, P>::make_page_decoder(Arena& arena) const {
  using Made = Decoder<L, P>;
  static_assert(std::is_trivially_destructible_v<Made>);
  const std::span<std::byte> room = arena.make<std::byte>(sizeof(Made));
  return new (room.data()) Made(*this, arena);
}

template <Latent L, Latent P>
const ChunkTables* make_tables(const ChunkMeta& meta, Arena& arena) {
  using Made = Tables<L, P>;
  static_assert(std::is_trivially_destructible_v<Made>);
  auto* const tables = new (arena.make<std::byte>(sizeof(Made)).data()) Made;
  tables->meta = &meta;
  std::size_t bits = 0;
  const auto fill = [&](auto& variable, std::size_t index) {
    using Variable = std::remove_reference_t<decltype(variable)>;
    if (!meta.has(index)) return;
    variable = Variable::make(meta.variables[index], arena);
    bits += kBatchN * variable.max_bits();
  };
  fill(tables->delta, kDeltaVariable);
  fill(tables->primary, kPrimaryVariable);
  fill(tables->secondary, kSecondaryVariable);
  tables->max_batch_bytes = 1 + bits / 8 + kReadSlack;
  return tables;
}

}  // namespace

Status PageDecoder::finish(BitWindow& window) {
  BitReader reader(window.bytes, window.position);
  NUMPACT_TRY(reader.finish_byte("padding after the page's last batch is not zero"));
  window.position = reader.bit_position();
  return {};
}

const ChunkTables* ChunkTables::make(const ChunkMeta& meta, Arena& arena) {
  return visit_latent(latent_bits(meta.type), [&](auto width) -> const ChunkTables* {
    using L = decltype(width);
    if (meta.variables[kPrimaryVariable].latent_bits != kBits<L>) {
      return make_tables<L, std::uint32_t>(meta, arena);
    }
    return make_tables<L, L>(meta, arena);
  });
}

}  // namespace numpact

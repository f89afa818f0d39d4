// SPDX-License-Identifier: Apache-2.0
// Four paths through a batch: runs of whole batches, single whole batches by the same fused loops,
// whole batches of several pages (pages_in_turns.hpp), and a generic path for the rest.
#include "pco/page/page_decoder.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "base/try.hpp"
#include "pco/latent/latent_decoder.hpp"
#include "pco/page/batch_input.hpp"
#include "pco/page/join.hpp"
#include "pco/page/page_tables.hpp"
#include "pco/page/pages_in_turns.hpp"
#include "pco/page/runs.hpp"
#include "pco/page/variable_decoder.hpp"

namespace numpact::internal {
namespace {

template <Latent L, Latent P>
struct Tables final : ChunkTables, PageTables<L, P> {
  using PageTables<L, P>::PageTables;
  PageDecoder* make_page_decoder(Arena& arena) const override;
  std::size_t min_together() const override { return this->min_pages_together; }
  Status decode_together(std::span<const PagePart> parts, std::size_t& done_n) const override;
};

template <Latent L, Latent P>
class Decoder final : public PageDecoder {
 public:
  Decoder(const Tables<L, P>& tables, Arena& arena)
      : PageDecoder(sizeof(L)),
        tables_(tables),
        meta_(*tables.meta),
        arena_(arena),
        delta_(tables.delta, 0),
        primary_(tables.primary, meta_.state_n(kPrimaryVariable)),
        secondary_(tables.secondary, meta_.state_n(kSecondaryVariable)),
        inputs_(tables.max_batch_bytes, arena) {}

  Status start(BitWindow& window, std::size_t page_n, bool& more) override {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kVariables; ++i) bits += head_bits(i);
    more = false;
    if (window.position + bits + 7 > 8 * std::uint64_t{window.bytes.size()} && !window.is_last) {
      more = true;
      return {};
    }
    numbers_left_ = page_n;
    undecoded_n_ = page_n;
    pending_ = {};
    first_walk_.is_done = false;
    NUMPACT_TRY(check_bins(window, page_n));
    BitReader reader(window.bytes, window.position);
    delta_.start(reader, arena_, meta_, kDeltaVariable, page_n, 0);
    primary_.start(reader, arena_, meta_, kPrimaryVariable, page_n, first_moment_bias());
    secondary_.start(reader, arena_, meta_, kSecondaryVariable, page_n, 0);
    NUMPACT_TRY(reader.status());
    NUMPACT_TRY(reader.finish_byte("padding after the page's states is not zero"));
    window.position = reader.bit_position();
    return {};
  }

  Status skip(BitWindow& window, std::array<PageVariableSizes, kVariables>& sizes,
              std::size_t& done) override {
    done = std::min(kBatchN, undecoded_n_);
    if (undecoded_n_ == numbers_left_ && !heads_counted_) {
      for (std::size_t i = 0; i < kVariables; ++i) sizes[i].state_bits += head_bits(i);
      heads_counted_ = true;
    }
    BatchInput input;
    if (!inputs_.find(window, input)) return truncated(window);
    std::uint64_t position = input.position;
    delta_.skip(input.in, position, sizes[kDeltaVariable]);
    primary_.skip(input.in, position, sizes[kPrimaryVariable]);
    secondary_.skip(input.in, position, sizes[kSecondaryVariable]);
    NUMPACT_TRY(move_to(window, input, position));
    undecoded_n_ -= done;
    numbers_left_ -= done;
    return {};
  }

  FirstWalk* first_walk(const BitWindow& window) override {
    if (!tables_.decodes_whole_batches || !tables_.decodes_runs || whole_batches_left() == 0 ||
        !inputs_.find(window, first_walk_.input)) {
      return nullptr;
    }
    first_walk_.walk = primary_.make_walk(first_walk_.input.in);
    first_walk_.walk.position = first_walk_.input.position;
    first_walk_.walk.trail = &first_walk_.trail;
    return &first_walk_;
  }

  // ChunkTables::decode_together() of Conv1.
  static Status decode_together(std::span<const PagePart> parts,
                                std::size_t& done_n) requires(kHasConv1Pages<L>) {
    const Decoder& first = *static_cast<Decoder*>(parts[0].decoder);
    std::size_t count = SIZE_MAX;
    for (const PagePart& part : parts) {
      count = std::min(count, static_cast<Decoder*>(part.decoder)->whole_batches_left());
    }
    if (count == 0) return {};
    PagesInTurns<L> turns(first.arena_, parts.size());
    for (const PagePart& part : parts) {
      Decoder& page = *static_cast<Decoder*>(part.decoder);
      BatchInput input;
      if (!page.inputs_.find(*part.window, input)) return {};
      turns.add(page.primary_, *part.window, input, static_cast<L*>(part.out));
    }
    NUMPACT_TRY(turns.decode(count, kind_of(first.meta_.type), done_n));
    for (const PagePart& part : parts) {
      Decoder& page = *static_cast<Decoder*>(part.decoder);
      page.primary_.advance(done_n);
      page.undecoded_n_ -= done_n;
      page.numbers_left_ -= done_n;
    }
    return {};
  }

  bool has_state() const override { return can_restart(meta_.delta); }

  std::size_t state_bytes() const override {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kVariables; ++i) bits += head_bits(i);
    return static_cast<std::size_t>((bits + 7) / 8);
  }

  void write_state(BitWriter& writer) const override {
    delta_.write_state(writer, meta_, kDeltaVariable, 0);
    primary_.write_state(writer, meta_, kPrimaryVariable, first_moment_bias());
    secondary_.write_state(writer, meta_, kSecondaryVariable, 0);
    writer.finish_byte();
  }

 private:
  Status decode_aligned(BitWindow& window, std::size_t n, void* out, std::size_t& done, bool& more,
                        FirstWalk* next) override {
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
      std::size_t whole_n = 0;
      NUMPACT_TRY(
          decode_whole_batches(window, (n - done) / kBatchN, numbers + done, whole_n, next));
      if (whole_n > 0) {
        done += whole_n;
        undecoded_n_ -= whole_n;
        continue;
      }
      const std::size_t batch_n = std::min(kBatchN, undecoded_n_);
      const bool fits = n - done >= batch_n;
      L* const batch = fits ? numbers + done : batch_;
      NUMPACT_TRY(decode_batch(window, batch_n, batch, more));
      if (more) break;
      undecoded_n_ -= batch_n;
      if (fits) {
        done += batch_n;
      } else {
        pending_ = std::span<const L>(batch_, batch_n);
      }
    }
    numbers_left_ -= done;
    return {};
  }

  P first_moment_bias() const { return tables_.flips_in_tables ? kMid<P> : P{0}; }

  std::uint64_t head_bits(std::size_t variable) const {
    const Binning& binning = meta_.variables[variable];
    if (binning.latent_bits == 0) return 0;
    return meta_.state_n(variable) * std::uint64_t{binning.latent_bits} +
           kAnsStates * binning.ans_size_log;
  }

  // A variable without bins cannot store latents. The test uses the delta state of the chunk, also
  // for a variable that is not delta encoded (docs/format/pco.md, "Bins").
  Status check_bins(const BitWindow& window, std::size_t page_n) const {
    if (page_n <= internal::state_n(meta_.delta)) return {};
    for (const Binning& binning : meta_.variables) {
      if (binning.latent_bits != 0 && binning.bins.empty()) {
        return Status(ErrorKind::kCorrupt, "a latent variable without bins has latents",
                      window.position / 8);
      }
    }
    return {};
  }

  // The latents of a batch by variable, on the stack.
  struct BatchBuffers {
    alignas(64) std::uint32_t lookbacks[kBatchN];
    alignas(64) P own_primary[kBatchN];
    alignas(64) L secondary[kBatchN];
    P* primary = own_primary;  // own_primary or the output
  };
  // Count of latents that the batch stores, by variable.
  using StoredN = std::array<std::size_t, kVariables>;
  // Steps that were applied to the latents of a batch before it is finished.
  struct Applied {
    std::array<FinishKind, kVariables> finish_kinds{};
    bool primary_delta_is_undone = false;
    bool lookbacks_are_in_range = true;
    bool is_joined() const { return joins(finish_kinds[kSecondaryVariable]); }
  };

  template <class F>
  decltype(auto) visit(std::size_t variable, BatchBuffers& buffers, F&& f) {
    switch (variable) {
      case kDeltaVariable:
        return f(delta_, buffers.lookbacks);
      case kPrimaryVariable:
        return f(primary_, buffers.primary);
      default:
        return f(secondary_, buffers.secondary);
    }
  }

  // Decodes one batch of n numbers, which may be the last one of a page.
  Status decode_batch(BitWindow& window, std::size_t n, L* out, bool& more) {
    BatchInput input;
    more = !inputs_.find(window, input);
    if (more) return {};
    std::uint64_t position = input.position;
    const std::size_t first_byte = static_cast<std::size_t>(window.position / 8);
    BatchBuffers buffers;
    buffers.primary = primary_target(out, buffers.own_primary);
    StoredN stored{};
    for (std::size_t i = 0; i < kVariables; ++i) {
      stored[i] = visit(i, buffers, [&](auto& variable, auto* latents) {
        return variable.decode(input.in, position, latents);
      });
    }
    NUMPACT_TRY(move_to(window, input, position));
    return finish_batch(buffers, stored, {}, n, first_byte, out);
  }

  bool undo_primary(BatchBuffers& buffers, const StoredN& stored, const Applied& applied,
                    std::size_t n) {
    return primary_.undo_delta({buffers.primary, stored[kPrimaryVariable], n, buffers.lookbacks,
                                stored[kDeltaVariable],
                                sums(applied.finish_kinds[kPrimaryVariable])});
  }

  // Turns the stored latents of a batch into numbers.
  Status finish_batch(BatchBuffers& buffers, const StoredN& stored, const Applied& applied,
                      std::size_t n, std::size_t first_byte, L* out) {
    bool ok = applied.primary_delta_is_undone ? applied.lookbacks_are_in_range
                                              : undo_primary(buffers, stored, applied, n);
    if (meta_.has(kSecondaryVariable)) {
      ok &= secondary_.undo_delta({buffers.secondary, stored[kSecondaryVariable], n,
                                   buffers.lookbacks, stored[kDeltaVariable],
                                   sums(applied.finish_kinds[kSecondaryVariable])});
    }
    if (!ok) return Status(ErrorKind::kCorrupt, "a lookback reaches past the window", first_byte);
    if (applied.is_joined()) return {};
    if constexpr (std::is_same_v<P, std::uint32_t>) {
      if (std::holds_alternative<Dict>(meta_.mode)) {
        if (join_dict(tables_.dict_numbers, buffers.primary, n, out)) return {};
        return index_past_dictionary(first_byte);
      }
    }
    const bool are_numbers =
        tables_.flips_in_tables || makes_floats(applied.finish_kinds[kPrimaryVariable]);
    join_batch(meta_.mode, kind_of(meta_.type),
               are_numbers ? ClassicLatents::kNumbers : ClassicLatents::kOrdered, buffers.primary,
               buffers.secondary, n, out);
    return {};
  }

  // ---- whole batches ----

  // Bit positions of the offsets of variables without codes.
  using UncodedPositions = std::array<std::uint64_t, kVariables>;

  bool is_coded(std::size_t variable) const { return tables_.is_coded[variable]; }

  // Skips variables without codes, from `variable` on, and stores their positions. Returns the
  // first variable with codes, or kVariables.
  std::size_t skip_uncoded(std::size_t variable, std::uint64_t& position,
                           UncodedPositions& uncoded) const {
    for (; variable < kVariables && !is_coded(variable); ++variable) {
      uncoded[variable] = position;
      position += kBatchN * std::uint64_t{tables_.uncoded_bits[variable]};
    }
    return variable;
  }

  // The count of batches that are decoded as whole ones: those that all variables have in full. In
  // runs also a last batch of kBatchN numbers that stores fewer deltas, since nothing behind it
  // needs the states.
  std::size_t whole_batches_left() const {
    if (tables_.decodes_runs && undecoded_n_ % kBatchN == 0) return undecoded_n_ / kBatchN;
    std::size_t left = SIZE_MAX;
    if (meta_.has(kDeltaVariable)) left = delta_.left();
    if (meta_.has(kPrimaryVariable)) left = std::min(left, primary_.left());
    if (meta_.has(kSecondaryVariable)) left = std::min(left, secondary_.left());
    return left / kBatchN;
  }

  // Decodes up to `count` whole batches, as many as the page has and the window holds in the worst
  // case. Sets done_n to the count of their numbers.
  Status decode_whole_batches(BitWindow& window, std::size_t count, L* out, std::size_t& done_n,
                              FirstWalk* next) {
    done_n = 0;
    const std::size_t left = whole_batches_left();
    count = std::min(count, left);
    if (!tables_.decodes_whole_batches || count == 0) return {};
    BatchInput input = first_walk_.input;
    if (!first_walk_.is_done && !inputs_.find(window, input)) return {};
    if (!tables_.decodes_runs) return decode_single_batches(window, input, count, out, done_n);
    RunDecoder<L, P> runs(tables_, primary_, secondary_, input);
    std::uint64_t position = input.position;
    NUMPACT_TRY(
        runs.decode(position, count, out, done_n, first_walk_, count == left ? next : nullptr));
    return move_to(window, input, position);
  }

  // decode_whole_batches() for chunks whose batches are finished one by one.
  Status decode_single_batches(BitWindow& window, BatchInput& input, std::size_t count, L* out,
                               std::size_t& done_n) {
    BatchBuffers buffers;
    fill_uniform(buffers);
    UncodedPositions uncoded{};
    std::uint64_t position = input.position;
    std::size_t at = skip_uncoded(0, position, uncoded);
    if (at == kVariables) {
      return decode_uncoded_batches(window, input, count, buffers, out, done_n);
    }
    CodeTrail trails[2];
    CodeTrail* trail = &trails[0];
    CodeTrail* next_trail = &trails[1];
    // By variable.
    CodeWalk walks[] = {delta_.make_walk(input.in), primary_.make_walk(input.in),
                        secondary_.make_walk(input.in)};
    walks[at].position = position;
    walks[at].trail = trail;
    visit(at, buffers, [&](auto& decoder, auto*) { decoder.tables().kernels->walk(walks[at]); });
    buffers.primary = primary_target(out, buffers.own_primary);
    Applied applied;
    std::size_t first_byte = static_cast<std::size_t>(window.position / 8);
    // Invariant: the codes of variable `at` were walked to *trail, and the position of its walk is
    // where its offsets start. A step unpacks these offsets and walks the codes of the next coded
    // variable, which may belong to the next batch.
    for (bool continues = true; continues;) {
      const std::uint64_t offsets = walks[at].position;
      position = offsets + trail->offset_bits;
      std::size_t next = skip_uncoded(at + 1, position, uncoded);
      const UncodedPositions here = uncoded;
      const bool ends_batch = next == kVariables;
      if (ends_batch) {
        NUMPACT_TRY(move_to(window, input, position));
        continues = --count > 0 && position <= input.last_start;
        if (continues) next = skip_uncoded(0, position, uncoded);
      }
      if (continues) {
        walks[next].position = position;
        walks[next].trail = next_trail;
      }
      const bool is_joining = at == kSecondaryVariable && prepare_primary(buffers, applied);
      applied.finish_kinds[at] = visit(at, buffers, [&](auto& decoder, auto* latents) {
        const auto& tables = decoder.tables();
        auto finish = decoder.requested_finish(at == kPrimaryVariable && tables_.is_classic_float);
        if (is_joining) latents = request_join(finish, buffers, out + done_n, latents);
        if (continues) {
          tables.kernels->unpack_and_walk(tables, *trail, input.in, offsets, latents, finish,
                                          walks[next]);
        } else {
          tables.kernels->unpack(tables, *trail, input.in, offsets, latents, finish);
        }
        return decoder.take_finish(finish);
      });
      std::swap(trail, next_trail);
      at = next;
      if (!ends_batch) continue;
      unpack_uncoded(input, here, buffers);
      NUMPACT_TRY(finish_whole_batch(buffers, applied, first_byte, out + done_n));
      applied = {};
      done_n += kBatchN;
      buffers.primary = primary_target(out + done_n, buffers.own_primary);
      first_byte = static_cast<std::size_t>(window.position / 8);
    }
    return {};
  }

  // decode_single_batches() for a chunk without codes.
  Status decode_uncoded_batches(BitWindow& window, BatchInput& input, std::size_t count,
                                BatchBuffers& buffers, L* out, std::size_t& done_n) {
    if (tables_.is_constant) {
      done_n = count * kBatchN;
      std::fill_n(out, done_n, static_cast<L>(tables_.constant));
      visit(kPrimaryVariable, buffers, [&](auto& decoder, auto*) { decoder.advance(done_n); });
      return {};
    }
    for (; count > 0 && input.position <= input.last_start; --count) {
      const std::size_t first_byte = static_cast<std::size_t>(window.position / 8);
      UncodedPositions uncoded{};
      buffers.primary = primary_target(out + done_n, buffers.own_primary);
      skip_uncoded(0, input.position, uncoded);
      NUMPACT_TRY(move_to(window, input, input.position));
      unpack_uncoded(input, uncoded, buffers);
      NUMPACT_TRY(finish_whole_batch(buffers, {}, first_byte, out + done_n));
      done_n += kBatchN;
    }
    return {};
  }

  bool is_uniform(std::size_t variable) const { return tables_.is_uniform[variable]; }

  void fill_uniform(BatchBuffers& buffers) {
    for (std::size_t i = 0; i < kVariables; ++i) {
      if (!is_uniform(i)) continue;
      visit(i, buffers, [&](auto& decoder, auto* latents) {
        using Element = std::remove_reference_t<decltype(*latents)>;
        std::fill_n(latents, kBatchN, static_cast<Element>(decoder.tables().lowers[0]));
      });
    }
  }

  void unpack_uncoded(const BatchInput& input, const UncodedPositions& positions,
                      BatchBuffers& buffers) {
    for (std::size_t i = 0; i < kVariables; ++i) {
      if (!tables_.is_unpacked_alone[i]) continue;
      visit(i, buffers, [&](auto& decoder, auto* latents) {
        const auto& tables = decoder.tables();
        tables.kernels->decode(tables, decoder.ans_states(), input.in, positions[i], kBatchN,
                               latents);
      });
    }
  }

  // Prepares the primary latents of a batch to be joined in registers while the secondary ones are
  // unpacked. Returns false if they must be joined later.
  bool prepare_primary(BatchBuffers& buffers, Applied& applied) {
    if constexpr (std::is_same_v<L, P> && FloatLatent<L>) {
      if (!tables_.joins_while_unpacking) return false;
      const StoredN stored{kBatchN, kBatchN, kBatchN};
      applied.lookbacks_are_in_range = undo_primary(buffers, stored, applied, kBatchN);
      applied.primary_delta_is_undone = true;
      return std::visit(
          [&](const auto& mode) {
            if constexpr (requires { mode.joins_in_registers(buffers.primary, kBatchN); }) {
              return mode.joins_in_registers(buffers.primary, kBatchN);
            }
            return false;
          },
          meta_.mode);
    }
    return false;
  }

  // Sets the finish to a join with the primary latents. Returns the output of unpacking.
  template <class F, class S>
  S* request_join(F& finish, const BatchBuffers& buffers, L* out, S* latents) const {
    if constexpr (std::is_same_v<F, Finish<L>> && std::is_same_v<L, P>) {
      finish.primary = buffers.primary;
      std::visit(
          [&](const auto& mode) {
            if constexpr (requires { mode.template join_parameter<L>(); }) {
              finish.kind = mode.kJoin;
              finish.parameter = mode.template join_parameter<L>();
            }
          },
          meta_.mode);
      return out;
    }
    return latents;
  }

  Status finish_whole_batch(BatchBuffers& buffers, const Applied& applied, std::size_t first_byte,
                            L* out) {
    StoredN stored{};
    for (std::size_t i = 0; i < kVariables; ++i) {
      if (!meta_.has(i)) continue;
      stored[i] = kBatchN;
      visit(i, buffers, [&](auto& decoder, auto*) { decoder.advance(kBatchN); });
    }
    return finish_batch(buffers, stored, applied, kBatchN, first_byte, out);
  }

  P* primary_target(L* out, P* buffers) const {
    if constexpr (std::is_same_v<L, P>) {
      if (!tables_.joins_while_unpacking) return out;
    }
    return buffers;
  }

  const Tables<L, P>& tables_;
  const ChunkMeta& meta_;
  Arena& arena_;
  VariableDecoder<std::uint32_t> delta_;
  VariableDecoder<P> primary_;
  VariableDecoder<L> secondary_;
  std::size_t undecoded_n_ = 0;  // numbers in batches not yet decoded
  std::span<const L> pending_;   // decoded, not yet output
  BatchInputFinder inputs_;
  bool heads_counted_ = false;
  FirstWalk first_walk_;
  L batch_[kBatchN];
};

template <Latent L, Latent P>
PageDecoder* Tables<L, P>::make_page_decoder(Arena& arena) const {
  using Made = Decoder<L, P>;
  static_assert(std::is_trivially_destructible_v<Made>);
  const std::span<std::byte> memory = arena.make<std::byte>(sizeof(Made));
  return new (memory.data()) Made(*this, arena);
}

template <Latent L, Latent P>
Status Tables<L, P>::decode_together([[maybe_unused]] std::span<const PagePart> parts,
                                     std::size_t& done_n) const {
  done_n = 0;
  // For other chunks done_n stays 0, and decode() does all.
  if constexpr (std::is_same_v<L, P> && kHasConv1Pages<L>) {
    static_assert(kMaxPagesTogether <= kConv1PagesN);
    if (this->min_pages_together != SIZE_MAX) return Decoder<L, P>::decode_together(parts, done_n);
  }
  return {};
}

template <Latent L, Latent P>
const ChunkTables* make_tables(const ChunkMeta& meta, Arena& arena) {
  using Made = Tables<L, P>;
  static_assert(std::is_trivially_destructible_v<Made>);
  return new (arena.make<std::byte>(sizeof(Made)).data()) Made(meta, arena);
}

}  // namespace

Status PageDecoder::decode_unaligned(BitWindow& window, std::size_t n, void* out, std::size_t& done,
                                     bool& more) {
  constexpr std::size_t kBlockN = 4 * kBatchN;
  alignas(std::uint64_t) std::byte block[kBlockN * sizeof(std::uint64_t)];
  std::byte* at = static_cast<std::byte*>(out);
  done = 0;
  for (std::size_t step = kBlockN; step == kBlockN && done < n;) {
    NUMPACT_TRY(decode_aligned(window, std::min(n - done, kBlockN), block, step, more, nullptr));
    std::memcpy(at, block, step * number_bytes_);
    at += step * number_bytes_;
    done += step;
  }
  return {};
}

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

}  // namespace numpact::internal

// SPDX-License-Identifier: Apache-2.0
#include "pco/page/page_decoder.hpp"

#include <algorithm>
#include <new>
#include <type_traits>

#include "base/try.hpp"
#include "pco/latent/latent_decoder.hpp"
#include "pco/page/batch_input.hpp"
#include "pco/page/join.hpp"
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
  std::array<bool, kVariables> is_coded{};
  // Of one latent of a variable without codes.
  std::array<unsigned, kVariables> uncoded_bits{};
  std::span<const L> dict_numbers;  // the dictionary's entries, as numbers
  // All numbers are this one, as bits.
  bool is_constant = false;
  L constant = 0;
  // Latents of float modes are joined while the secondary ones are unpacked.
  bool joins_while_unpacking = false;
  // Whether every coded variable's tables are summed, and for one instruction set: its kernels read
  // each other's trails.
  bool decodes_whole_batches = true;
  // The numbers are latents with the sign bit flipped; bins or moments do that, too.
  bool flips_in_tables = false;

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
    to_decode_ = page_n;
    pending_ = {};
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
      std::size_t whole_n = 0;
      NUMPACT_TRY(decode_whole_batches(window, (n - done) / kBatchN, numbers + done, whole_n));
      if (whole_n > 0) {
        done += whole_n;
        to_decode_ -= whole_n;
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
    BatchInput input;
    if (!inputs_.find(window, input)) return truncated(window);
    std::uint64_t position = input.position;
    delta_.skip(input.in, position, sizes[kDeltaVariable]);
    primary_.skip(input.in, position, sizes[kPrimaryVariable]);
    secondary_.skip(input.in, position, sizes[kSecondaryVariable]);
    NUMPACT_TRY(move_to(window, input, position));
    to_decode_ -= done;
    numbers_left_ -= done;
    return {};
  }

  bool has_state() const override { return !std::holds_alternative<Lookback>(meta_.delta); }

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
  P first_moment_bias() const { return tables_.flips_in_tables ? kMid<P> : P{0}; }

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

  // The latents of a batch, by variable.
  struct Room {
    std::uint32_t lookbacks[kBatchN];
    P primary_room[kBatchN];
    P* primary = primary_room;  // or the output
    L secondary[kBatchN];
  };
  // How many of them are stored.
  using StoredN = std::array<std::size_t, kVariables>;
  // What was done to them before the batch is finished.
  struct Done {
    std::array<FinishKind, kVariables> kinds{};
    bool primary_is_undone = false;  // the delta of the primary latents is
    bool lookbacks_are_inside = true;
    bool is_joined() const { return joins(kinds[kSecondaryVariable]); }
  };

  template <class F>
  decltype(auto) visit(std::size_t variable, Room& room, F&& f) {
    switch (variable) {
      case kDeltaVariable:
        return f(delta_, room.lookbacks);
      case kPrimaryVariable:
        return f(primary_, room.primary);
      default:
        return f(secondary_, room.secondary);
    }
  }

  // One batch of n numbers, the last of a page among them.
  Status decode_batch(BitWindow& window, std::size_t n, L* out, bool& more) {
    BatchInput input;
    more = !inputs_.find(window, input);
    if (more) return {};
    std::uint64_t position = input.position;
    const std::size_t first_byte = static_cast<std::size_t>(window.position / 8);
    Room room;
    room.primary = primary_target(out, room.primary_room);
    StoredN stored{};
    for (std::size_t i = 0; i < kVariables; ++i) {
      stored[i] = visit(i, room, [&](auto& variable, auto* latents) {
        return variable.decode(input.in, position, latents);
      });
    }
    NUMPACT_TRY(move_to(window, input, position));
    return finish_batch(room, stored, {}, n, first_byte, out);
  }

  bool undo_primary(Room& room, const StoredN& stored, const Done& done, std::size_t n) {
    return primary_.undo_delta(meta_.delta, room.lookbacks, stored[kDeltaVariable], room.primary,
                               stored[kPrimaryVariable], n, done.kinds[kPrimaryVariable]);
  }

  // From stored latents to numbers.
  Status finish_batch(Room& room, const StoredN& stored, const Done& done, std::size_t n,
                      std::size_t first_byte, L* out) {
    bool ok =
        done.primary_is_undone ? done.lookbacks_are_inside : undo_primary(room, stored, done, n);
    if (meta_.has(kSecondaryVariable)) {
      ok &=
          secondary_.undo_delta(meta_.delta, room.lookbacks, stored[kDeltaVariable], room.secondary,
                                stored[kSecondaryVariable], n, done.kinds[kSecondaryVariable]);
    }
    if (!ok) return Status(ErrorKind::kCorrupt, "a lookback reaches past the window", first_byte);
    if (done.is_joined()) return {};
    if constexpr (std::is_same_v<P, std::uint32_t>) {
      if (std::holds_alternative<Dict>(meta_.mode)) {
        if (join_dict(tables_.dict_numbers, room.primary, n, out)) return {};
        return Status(ErrorKind::kCorrupt, "an index reaches past the dictionary", first_byte);
      }
    }
    const bool are_numbers = tables_.flips_in_tables || makes_floats(done.kinds[kPrimaryVariable]);
    join_batch(meta_.mode, kind_of(meta_.type),
               are_numbers ? Classics::kNumbers : Classics::kOrdered, room.primary, room.secondary,
               n, out);
    return {};
  }

  // ---- whole batches ----

  // Where in the input the latents of variables without codes lie, in bits.
  using UncodedPositions = std::array<std::uint64_t, kVariables>;

  bool is_coded(std::size_t variable) const { return tables_.is_coded[variable]; }

  // Passes variables without codes, from `variable` on; returns the first with codes, or
  // kVariables.
  std::size_t pass_uncoded(std::size_t variable, std::uint64_t& position,
                           UncodedPositions& uncoded) const {
    for (; variable < kVariables && !is_coded(variable); ++variable) {
      uncoded[variable] = position;
      position += kBatchN * std::uint64_t{tables_.uncoded_bits[variable]};
    }
    return variable;
  }

  // As many of `count` batches as all variables have in full and the window holds even in the worst
  // case; done_n becomes their numbers.
  Status decode_whole_batches(BitWindow& window, std::size_t count, L* out, std::size_t& done_n) {
    done_n = 0;
    Room room;
    for (std::size_t i = 0; i < kVariables; ++i) {
      if (!meta_.has(i)) continue;
      visit(i, room,
            [&](auto& variable, auto*) { count = std::min(count, variable.left() / kBatchN); });
    }
    BatchInput input;
    if (!tables_.decodes_whole_batches || count == 0 || !inputs_.find(window, input)) return {};

    fill_still(room);
    UncodedPositions uncoded{};
    std::uint64_t position = input.position;
    std::size_t at = pass_uncoded(0, position, uncoded);
    if (at == kVariables) {
      return decode_uncoded_batches(window, input, count, room, out, done_n);
    }
    CodeTrail trails[2];
    CodeTrail* trail = &trails[0];
    CodeTrail* next_trail = &trails[1];
    CodeWalk walk{};
    const auto aim = [&](std::size_t variable, CodeTrail* leave) {
      visit(variable, room, [&](auto& its, auto*) {
        const auto& tables = its.tables();
        walk = {tables.nodes.data(),
                tables.layout,
                tables.jumps,
                &its.ans_states(),
                input.in,
                position,
                leave};
      });
    };
    aim(at, trail);
    visit(at, room, [&](auto& its, auto*) { its.tables().kernels->walk(walk); });
    room.primary = primary_target(out, room.primary_room);
    Done done;
    std::size_t first_byte = static_cast<std::size_t>(window.position / 8);
    // Each step unpacks the offsets of variable `at`, whose codes were walked, and walks the codes
    // of the next coded variable, of this batch or the next one.
    for (bool goes_on = true; goes_on;) {
      const std::uint64_t offsets = walk.position;
      position = offsets + trail->offset_bits;
      std::size_t next = pass_uncoded(at + 1, position, uncoded);
      const UncodedPositions here = uncoded;
      const bool ends_batch = next == kVariables;
      if (ends_batch) {
        NUMPACT_TRY(move_to(window, input, position));
        goes_on = done_n + kBatchN < count * kBatchN && position <= input.last_start;
        if (goes_on) next = pass_uncoded(0, position, uncoded);
      }
      if (goes_on) aim(next, next_trail);
      const bool is_joining = at == kSecondaryVariable && prepare_join(room, done);
      done.kinds[at] = visit(at, room, [&](auto& its, auto* latents) {
        const auto& tables = its.tables();
        auto finish = its.wanted_finish(meta_.delta, at == kPrimaryVariable && is_classic_float());
        if (is_joining) latents = aim_join(finish, room, out + done_n, latents);
        if (goes_on) {
          tables.kernels->unpack_and_walk(tables, *trail, input.in, offsets, latents, finish, walk);
        } else {
          tables.kernels->unpack(tables, *trail, input.in, offsets, latents, finish);
        }
        return its.take_finish(finish);
      });
      std::swap(trail, next_trail);
      at = next;
      if (!ends_batch) continue;
      unpack_uncoded(input, here, room);
      NUMPACT_TRY(finish_whole_batch(room, done, first_byte, out + done_n));
      done = {};
      done_n += kBatchN;
      room.primary = primary_target(out + done_n, room.primary_room);
      first_byte = static_cast<std::size_t>(window.position / 8);
    }
    return {};
  }

  // The same where no variable has codes.
  Status decode_uncoded_batches(BitWindow& window, BatchInput& input, std::size_t count, Room& room,
                                L* out, std::size_t& done_n) {
    if (tables_.is_constant) {
      done_n = count * kBatchN;
      std::fill_n(out, done_n, static_cast<L>(tables_.constant));
      visit(kPrimaryVariable, room, [&](auto& its, auto*) { its.take(done_n); });
      return {};
    }
    for (; count > 0 && input.position <= input.last_start; --count) {
      const std::size_t first_byte = static_cast<std::size_t>(window.position / 8);
      UncodedPositions uncoded{};
      room.primary = primary_target(out + done_n, room.primary_room);
      pass_uncoded(0, input.position, uncoded);
      NUMPACT_TRY(move_to(window, input, input.position));
      unpack_uncoded(input, uncoded, room);
      NUMPACT_TRY(finish_whole_batch(room, {}, first_byte, out + done_n));
      done_n += kBatchN;
    }
    return {};
  }

  // Moves the window to the end of a batch, unless that lies past the input.
  static Status move_to(BitWindow& window, const BatchInput& input, std::uint64_t position) {
    window.position = input.origin + position;
    return position > input.end ? truncated(window) : Status();
  }

  // Whether all latents of a variable are alike and stay so in the room from batch to batch.
  bool is_still(std::size_t variable) const {
    return meta_.has(variable) && !is_coded(variable) && tables_.uncoded_bits[variable] == 0 &&
           !meta_.is_delta_encoded(variable) && variable != kPrimaryVariable;
  }

  void fill_still(Room& room) {
    for (std::size_t i = 0; i < kVariables; ++i) {
      if (!is_still(i)) continue;
      visit(i, room, [&](auto& its, auto* latents) {
        using Its = std::remove_reference_t<decltype(*latents)>;
        std::fill_n(latents, kBatchN, static_cast<Its>(its.tables().lowers[0]));
      });
    }
  }

  void unpack_uncoded(const BatchInput& input, const UncodedPositions& positions, Room& room) {
    for (std::size_t i = 0; i < kVariables; ++i) {
      if (!meta_.has(i) || is_coded(i) || is_still(i)) continue;
      visit(i, room, [&](auto& its, auto* latents) {
        const auto& tables = its.tables();
        tables.kernels->decode(tables, its.ans_states(), input.in, positions[i], kBatchN, latents);
      });
    }
  }

  bool is_classic_float() const {
    return kind_of(meta_.type) == NumberKind::kFloat && std::holds_alternative<Classic>(meta_.mode);
  }

  // Before the secondary latents of a batch are unpacked: makes the primary ones ready to be joined
  // with them in registers. False: they are to be joined later.
  bool prepare_join(Room& room, Done& done) {
    if constexpr (std::is_same_v<L, P> && FloatLatent<L>) {
      if (!tables_.joins_while_unpacking) return false;
      const StoredN stored{kBatchN, kBatchN, kBatchN};
      done.lookbacks_are_inside = undo_primary(room, stored, done, kBatchN);
      done.primary_is_undone = true;
      return std::holds_alternative<FloatQuant>(meta_.mode) ||
             is_float_mult_fast(room.primary, kBatchN);
    }
    return false;
  }

  // Where unpacking goes then.
  template <class F, class S>
  S* aim_join(F& finish, const Room& room, L* out, S* latents) const {
    if constexpr (std::is_same_v<F, Finish<L>> && std::is_same_v<L, P>) {
      finish.primary = room.primary;
      if (const auto* mult = std::get_if<FloatMult>(&meta_.mode)) {
        finish.kind = FinishKind::kFloatMult;
        finish.parameter = static_cast<L>(mult->base_bits);
      } else if (const auto* quant = std::get_if<FloatQuant>(&meta_.mode)) {
        finish.kind = FinishKind::kFloatQuant;
        finish.parameter = static_cast<L>(quant->k);
      }
      return out;
    }
    return latents;
  }

  Status finish_whole_batch(Room& room, const Done& done, std::size_t first_byte, L* out) {
    StoredN stored{};
    for (std::size_t i = 0; i < kVariables; ++i) {
      if (!meta_.has(i)) continue;
      stored[i] = kBatchN;
      visit(i, room, [&](auto& its, auto*) { its.take(kBatchN); });
    }
    return finish_batch(room, stored, done, kBatchN, first_byte, out);
  }

  P* primary_target(L* out, P* room) const {
    if constexpr (std::is_same_v<L, P>) {
      if (!tables_.joins_while_unpacking) return out;
    }
    return room;
  }

  const Tables<L, P>& tables_;
  const ChunkMeta& meta_;
  Arena& arena_;
  VariableDecoder<std::uint32_t> delta_;
  VariableDecoder<P> primary_;
  VariableDecoder<L> secondary_;
  std::size_t to_decode_ = 0;   // numbers in batches not yet decoded
  std::span<const L> pending_;  // decoded, not yet given out
  BatchInputFinder inputs_;
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
  const bool is_consecutive = std::holds_alternative<Consecutive>(meta.delta);
  tables->flips_in_tables = std::holds_alternative<Classic>(meta.mode) &&
                            kind_of(meta.type) == NumberKind::kSigned &&
                            (is_consecutive || std::holds_alternative<NoDelta>(meta.delta));
  if (const auto* dict = std::get_if<Dict>(&meta.mode)) {
    const std::span<L> numbers = arena.make<L>(dict->count);
    from_ordered(dict->as<L>().data(), dict->count, kind_of(meta.type), numbers.data());
    tables->dict_numbers = numbers;
  }
  void (*walk)(CodeWalk&) = nullptr;
  const auto fill = [&](auto& variable, std::size_t index, auto bias) {
    using Variable = std::remove_reference_t<decltype(variable)>;
    if (!meta.has(index)) return;
    variable = Variable::make(meta.variables[index], bias, arena);
    bits += kBatchN * variable.max_bits();
    tables->is_coded[index] = variable.is_coded();
    tables->uncoded_bits[index] = variable.is_coded() ? 0 : variable.max_offset_bits;
    if (!variable.is_coded()) return;
    // The choice of instruction set may change from one variable to the next.
    if (walk == nullptr) walk = variable.kernels->walk;
    if (!variable.is_summed || variable.kernels->walk != walk) {
      tables->decodes_whole_batches = false;
    }
  };
  const bool flips_bins = tables->flips_in_tables && !is_consecutive;
  fill(tables->delta, kDeltaVariable, std::uint32_t{0});
  fill(tables->primary, kPrimaryVariable,
       flips_bins || meta.is_delta_encoded(kPrimaryVariable) ? kMid<P> : P{0});
  fill(tables->secondary, kSecondaryVariable,
       meta.is_delta_encoded(kSecondaryVariable) ? kMid<L> : L{0});
  const auto& is_coded = tables->is_coded;
  tables->joins_while_unpacking = (std::holds_alternative<FloatMult>(meta.mode) ||
                                   std::holds_alternative<FloatQuant>(meta.mode)) &&
                                  is_coded[kPrimaryVariable] && is_coded[kSecondaryVariable] &&
                                  (is_coded[kDeltaVariable] || !meta.has(kDeltaVariable)) &&
                                  !meta.is_delta_encoded(kSecondaryVariable) &&
                                  tables->secondary.kernels->finishes;
  if constexpr (std::is_same_v<L, P>) {
    tables->is_constant = std::holds_alternative<Classic>(meta.mode) &&
                          std::holds_alternative<NoDelta>(meta.delta) && bits == 0;
    tables->constant = static_cast<L>(tables->primary.lowers[0]);
    if (!tables->flips_in_tables) {
      tables->constant = from_ordered(tables->constant, kind_of(meta.type));
    }
  }
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

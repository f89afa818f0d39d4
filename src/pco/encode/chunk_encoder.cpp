// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/chunk_encoder.hpp"

#include <algorithm>

#include "number/ordered.hpp"
#include "pco/bins/binning.hpp"
#include "pco/encode/estimate/decode_cost.hpp"
#include "pco/encode/lookback/optimize/search.hpp"
#include "pco/encode/race.hpp"
#include "pco/encode/session.hpp"
#include "pco/mode/split.hpp"

namespace numpact::internal {
namespace {

LatentArray make_state(unsigned bits, std::size_t n, Arena& arena) {
  return visit_latent(bits,
                      [&](auto width) { return LatentArray(arena.make<decltype(width)>(n)); });
}

// Delta encodes the latents of one variable of a page in place.
PageVariable encode_variable(const AnyDelta& delta, const std::uint32_t* lookbacks,
                             const LatentArray& latents, Arena& arena) {
  PageVariable variable;
  const std::size_t state_n = internal::state_n(delta);
  variable.state = make_state(latents.bits, state_n, arena);
  latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    encode_delta(delta, lookbacks, variable.state.as<L>(), span.data(), span.size());
  });
  variable.stored = latents.slice(0, latents.n > state_n ? latents.n - state_n : 0);
  return variable;
}

struct PageRange {
  std::size_t first;
  std::size_t n;
};

std::span<std::uint32_t> lookbacks_of(const Lookback& lookback, const Choice& choice,
                                      const LatentArray& primary, Arena& arena) {
  if (!choice.lookbacks.empty()) return choice.lookbacks;
  if (choice.fixed_lookback == 0) return find_lookbacks(lookback, primary, arena).all;
  const std::size_t state_n = lookback.state_n();
  const std::span<std::uint32_t> lookbacks =
      arena.make<std::uint32_t>(primary.n > state_n ? primary.n - state_n : 0);
  // The first ones look back to zeros before the page: where all lookbacks are equal, they take no
  // bits and no codes to decode.
  std::fill(lookbacks.begin(), lookbacks.end(), choice.fixed_lookback);
  return lookbacks;
}

// Computes the stored latents of a page.
void encode_page_deltas(EncodedPage& page, const PageRange& range, const ChunkMeta& meta,
                        const SplitLatents& latents, const Choice& choice, Arena& arena) {
  page.n = range.n;
  const LatentArray primary = latents.primary.slice(range.first, range.n);
  std::span<std::uint32_t> lookbacks;
  if (const auto* lookback = std::get_if<Lookback>(&meta.delta)) {
    lookbacks = lookbacks_of(*lookback, choice, primary, arena);
    page.variables[kDeltaVariable].stored = LatentArray(lookbacks);
  }
  PageVariable& first = page.variables[kPrimaryVariable];
  if (meta.is_delta_encoded(kPrimaryVariable)) {
    first = encode_variable(meta.delta, lookbacks.data(), primary, arena);
  } else {
    first.stored = primary;
  }
  if (!latents.secondary.exists()) return;
  PageVariable& second = page.variables[kSecondaryVariable];
  const LatentArray secondary = latents.secondary.slice(range.first, range.n);
  if (meta.is_delta_encoded(kSecondaryVariable)) {
    second = encode_variable(meta.delta, lookbacks.data(), secondary, arena);
  } else {
    second.stored = secondary;
  }
}

// Concatenates what the pages store of a variable, or returns the array of the only page. The
// pages' own arrays are not used afterwards.
LatentArray gather_stored(std::span<EncodedPage> pages, std::size_t index, unsigned bits,
                          Arena& arena) {
  std::size_t total = 0;
  for (EncodedPage& page : pages) {
    page.variables[index].first = total;
    total += page.variables[index].stored.n;
  }
  if (pages.size() == 1) {
    LatentArray stored = pages[0].variables[index].stored;
    stored.bits = bits;
    return stored;
  }
  const LatentArray all = make_state(bits, total, arena);
  all.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    for (const EncodedPage& page : pages) {
      const PageVariable& variable = page.variables[index];
      if (variable.stored.n == 0) continue;
      const std::span<L> stored = variable.stored.template as<L>();
      std::copy(stored.begin(), stored.end(),
                span.begin() + static_cast<std::ptrdiff_t>(variable.first));
    }
  });
  return all;
}

// Encodes a chunk with one choice. Destroys the latents in `ordered`.
EncodedChunk encode_as(const Choice& choice, NumberType type, const LatentArray& ordered,
                       std::span<const std::size_t> page_sizes, const EncodeConfig& config,
                       Arena& arena) {
  EncodedChunk chunk;
  chunk.n = ordered.n;
  chunk.meta.version = FormatVersion::of(config.compatibility);
  chunk.meta.type = type;
  chunk.meta.mode = choice.mode;
  chunk.meta.delta = choice.delta;
  chunk.meta.lay_out_variables();
  const SplitLatents latents = split(choice.mode, ordered, arena);
  chunk.pages = arena.make<EncodedPage>(page_sizes.size());
  std::size_t first = 0;
  for (std::size_t i = 0; i < page_sizes.size(); ++i) {
    chunk.pages[i] = EncodedPage{};
    encode_page_deltas(chunk.pages[i], {first, page_sizes[i]}, chunk.meta, latents, choice, arena);
    first += page_sizes[i];
  }
  const BinLevel& level = level_row(config.level).bins;
  BinningEffort effort = config.recipe != nullptr ? BinningEffort::of_recipe(level, ordered.n)
                                                  : BinningEffort::of(level, ordered.n);
  effort.codes_bits = decode_weight(config) * kCodesNs;
  for (std::size_t index = 0; index < kVariables; ++index) {
    if (!chunk.meta.has(index)) continue;
    Binning& binning = chunk.meta.variables[index];
    const NarrowLatents stored =
        narrow(gather_stored(chunk.pages, index, binning.latent_bits, arena));
    for (EncodedPage& page : chunk.pages) {
      PageVariable& variable = page.variables[index];
      variable.stored = stored.latents.slice(variable.first, variable.stored.n);
    }
    chunk.bases[index] = stored.base;
    chunk.symbols[index] = arena.make<std::uint16_t>(stored.latents.n);
    binning = make_binning(stored, binning.latent_bits, effort, chunk.symbols[index], arena);
  }
  encode_pages(chunk, arena);
  return chunk;
}

std::size_t fallback_bytes(NumberType type, std::span<const std::size_t> page_sizes) {
  std::size_t bytes = fallback_meta_bytes(type);
  for (const std::size_t n : page_sizes) bytes += fallback_page_bytes(type, n);
  return bytes;
}

float bits_per_number(const EncodedChunk& chunk) {
  return 8 * static_cast<float>(chunk.bytes()) / static_cast<float>(chunk.n);
}

}  // namespace

LatentArray ordered_latents(const NumberView& numbers, Arena& arena) {
  return visit_latent(latent_bits(numbers.type), [&](auto width) {
    using L = decltype(width);
    const std::span<L> ordered = arena.make<L>(numbers.count);
    to_ordered(numbers.data, numbers.count, kind_of(numbers.type), ordered.data());
    return LatentArray(ordered);
  });
}

std::size_t fallback_meta_bytes(NumberType type) {
  const unsigned bits = latent_bits(type);
  const unsigned width_bits = static_cast<unsigned>(std::bit_width(bits));
  return (wire::kModeBits + wire::kDeltaBits + wire::kAnsSizeLogBits + wire::kBinCountBits + bits +
          width_bits + 7) /
         8;
}

std::size_t fallback_page_bytes(NumberType type, std::size_t n) { return n * size_of(type); }

EncodedChunk encode_chunk(const NumberView& numbers, std::span<const std::size_t> page_sizes,
                          const EncodeConfig& config, Arena& arena, ChoiceListener* listener) {
  const std::size_t page_n = *std::max_element(page_sizes.begin(), page_sizes.end());
  ChoiceSession session({numbers.type, ordered_latents(numbers, arena), page_n}, config, arena,
                        listener);
  plan_run(session, {.segments = false});
  return encode_chosen(numbers, session, page_sizes);
}

EncodedChunk encode_chosen(const NumberView& numbers, const ChoiceSession& session,
                           std::span<const std::size_t> page_sizes) {
  const EncodeConfig& config = session.config();
  Arena& arena = session.arena();
  EncodeConfig one_bin = config;
  one_bin.level = 0;
  if (session.is_random()) {
    return encode_as(session.best(), numbers.type, session.ordered(), page_sizes, one_bin, arena);
  }
  EncodedChunk best;
  for (const Choice& choice : session.choices()) {
    const bool is_first = &choice == &session.best();
    if (!is_first && bits_per_number(best) <= choice.attempt_above_bits) continue;
    const Arena::Mark mark = arena.mark();
    const LatentArray latents = is_first ? session.ordered() : ordered_latents(numbers, arena);
    const EncodedChunk chunk = encode_as(choice, numbers.type, latents, page_sizes, config, arena);
    session.log().encoded(choice.mode, choice.delta, chunk.bytes());
    if (is_first || chunk.bytes() < best.bytes()) {
      best = chunk;
    } else {
      arena.rewind(mark);
    }
  }
  if (best.bytes() <= fallback_bytes(numbers.type, page_sizes)) return best;
  // The fallback: one bin over the range of the numbers, never larger than one over that of the
  // type.
  return encode_as(Choice{}, numbers.type, ordered_latents(numbers, arena), page_sizes, one_bin,
                   arena);
}

}  // namespace numpact::internal

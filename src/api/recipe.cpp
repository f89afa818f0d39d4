// SPDX-License-Identifier: Apache-2.0
// Chooses recipes by encoding series of the sample with each candidate, and writes them as text.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/paging.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "numpact/pco.hpp"
#include "pco/bins/binning.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/chunk_encoder.hpp"
#include "pco/encode/estimate/sample.hpp"
#include "pco/encode/race.hpp"
#include "pco/encode/recipe.hpp"
#include "pco/encode/scratch.hpp"
#include "pco/encode/session.hpp"
#include "pco/limits.hpp"

namespace numpact {
namespace {

// Series that propose recipes, and series that are encoded with each proposal. More take longer and
// find little else in series of one kind.
constexpr std::size_t kMaxProposingSeries = 8;
constexpr std::size_t kMaxTriedSeries = 16;
// Numbers of all series that are tried, about: few long series are as good as many short ones.
constexpr std::size_t kMaxTriedN = std::size_t{1} << 18;
// Numbers of the whole sample that propose once more: what is rare in a short series, such as a
// base, shows in many.
constexpr std::size_t kMaxTogetherN = std::size_t{1} << 16;
// Proposals that are tried.
constexpr std::size_t kMaxProposals = 16;

class RecipeChooser {
 public:
  RecipeChooser(const NumberView& sample, std::span<const std::size_t> sizes,
                const EncodeConfig& config, Arena& arena)
      : sample_(sample), config_(config), arena_(arena) {
    series_.reserve(sizes.size());
    const auto* at = static_cast<const std::byte*>(sample.data);
    for (const std::size_t n : sizes) {
      series_.emplace_back(sample.type, at, n);
      at += n * size_of(sample.type);
    }
  }

  Recipe choose() {
    for (const NumberView& series : spread(kMaxProposingSeries)) propose(series);
    if (series_.size() > 1) {
      propose({sample_.type, sample_.data, std::min(sample_.count, kMaxTogetherN)});
    }
    const std::vector<NumberView> tried = spread(tried_n());
    const Recipe* best = &proposals_.front();
    std::uint64_t best_bytes = ~std::uint64_t{0};
    for (const Recipe& recipe : proposals_) {
      if (proposals_.size() == 1) break;
      const std::uint64_t bytes = bytes_with(recipe, tried, best_bytes);
      if (bytes < best_bytes) {
        best_bytes = bytes;
        best = &recipe;
      }
    }
    return *best;
  }

 private:
  // At most max_n of the series, evenly spread.
  std::vector<NumberView> spread(std::size_t max_n) const {
    const std::size_t n = std::min(max_n, series_.size());
    const EvenPositions positions(series_.size(), n);
    std::vector<NumberView> chosen;
    for (std::size_t i = 0; i < n; ++i) chosen.push_back(series_[positions[i]]);
    return chosen;
  }

  std::size_t tried_n() const {
    const std::size_t mean_n = sample_.count / series_.size();
    return std::clamp<std::size_t>(kMaxTriedN / std::max<std::size_t>(mean_n, 1), 1,
                                   kMaxTriedSeries);
  }

  // Adds the candidates chosen for the series as a chunk, and those encoded for comparison.
  void propose(const NumberView& series) {
    const ArenaScope scratch(arena_);
    ChoiceSession session({series.type, ordered_latents(series, arena_), series.count}, config_,
                          arena_);
    // The search for lookbacks takes the time that a recipe saves on short series.
    const bool looks_back = series_.front().count > kMaxShortSeriesN;
    plan_run(session, {.segments = false, .lookback = looks_back});
    const FormatVersion version = FormatVersion::of(config_.compatibility);
    for (const Choice& choice : session.choices()) {
      const Recipe recipe = recipe_of(choice, series.type);
      const bool is_known =
          std::find(proposals_.begin(), proposals_.end(), recipe) != proposals_.end();
      if (is_known || proposals_.size() == kMaxProposals) continue;
      if (check_recipe(recipe, series.type, version).ok()) proposals_.push_back(recipe);
    }
    // At least one, also if a choice cannot be a recipe.
    if (!proposals_.empty()) return;
    Recipe plain;
    plain.type = series.type;
    proposals_.push_back(plain);
  }

  // Bytes of the series with the recipe; more than max_bytes if they exceed it.
  std::uint64_t bytes_with(const Recipe& recipe, std::span<const NumberView> tried,
                           std::uint64_t max_bytes) const {
    EncodeConfig config = config_;
    config.recipe = &recipe;
    config.mode = {};
    config.delta = {};
    std::uint64_t bytes = 0;
    for (const NumberView& series : tried) {
      const ArenaScope scratch(arena_);
      bytes += encode_chunk(series, {&series.count, 1}, config, arena_).bytes();
      if (bytes > max_bytes) break;
    }
    return bytes;
  }

  const NumberView& sample_;
  const EncodeConfig& config_;
  Arena& arena_;
  std::vector<NumberView> series_;
  std::vector<Recipe> proposals_;
};

// The words of a text, which single spaces divide.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  // The next word; empty at the end.
  std::string_view next() {
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return word;
  }

 private:
  std::string_view rest_;
};

constexpr std::string_view kSecondaryWord = "secondary";
constexpr std::string_view kWeightsWord = "weights=";

// Takes a number and the separator behind it, or the end, from the front of `text`.
template <class T>
bool take_number(std::string_view& text, char separator, T& number) {
  const char* const end = text.data() + text.size();
  const std::from_chars_result parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc()) return false;
  const bool is_end = parsed.ptr == end;
  if (!is_end && *parsed.ptr != separator) return false;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()) + (is_end ? 0 : 1));
  return true;
}

// "QUANTIZATION:BIAS:WEIGHT,WEIGHT,...": a weight for each order.
bool parse_weights(std::string_view text, Recipe& recipe) {
  if (!take_number(text, ':', recipe.quantization)) return false;
  if (!take_number(text, ':', recipe.bias)) return false;
  const std::size_t order = std::min<std::size_t>(recipe.delta.order(), recipe.weights.size());
  for (std::size_t i = 0; i < order; ++i) {
    if (text.empty() || !take_number(text, ',', recipe.weights[i])) return false;
  }
  return text.empty();
}

Status parse(std::string_view text, Recipe& recipe) {
  Words words(text);
  const std::optional<NumberType> type = number_type_of_name(words.next());
  if (!type) return invalid_request("a recipe begins with its number type");
  recipe.type = *type;
  NUMPACT_TRY(parse_mode_spec(words.next()).into(recipe.mode));
  NUMPACT_TRY(parse_delta_spec(words.next()).into(recipe.delta));
  std::string_view word = words.next();
  if (word == kSecondaryWord) {
    recipe.encodes_secondary = true;
    word = words.next();
  }
  if (recipe.delta.delta() == Delta::kConv1) {
    if (!word.starts_with(kWeightsWord))
      return invalid_request("the weights of the recipe are missing");
    if (!parse_weights(word.substr(kWeightsWord.size()), recipe)) {
      return invalid_request("the weights of the recipe are not as many as its order");
    }
    word = words.next();
  }
  if (!word.empty()) return invalid_request("the recipe has a word that is not known");
  NUMPACT_TRY(check_recipe(recipe, *type, FormatVersion::of(Compatibility::kV4_1)));
  return to_string(recipe) == text ? Status()
                                   : invalid_request("the recipe is not as it was written");
}

}  // namespace

Result<Recipe> choose_recipe(const NumberView& sample, const EncodeConfig& config,
                             EncodeContext* context) noexcept {
  return guarded_value<Recipe>([&](Recipe& recipe) -> Status {
    NUMPACT_TRY(check_view(sample));
    NUMPACT_TRY(check_specs(sample.type, config));
    if (config.recipe != nullptr) return invalid_request("a recipe is made without another one");
    if (sample.count == 0) return invalid_request("a recipe is made from at least one number");
    ScratchArena arena(context);
    NUMPACT_TRY(arena.status());
    std::span<const std::size_t> sizes;
    const std::uint64_t longest = std::min(sample.count, kMaxChunkN);
    const std::uint64_t series_n = chunk_count_bound(config, sample.count);
    NUMPACT_TRY((*arena).ensure<std::byte>(encoding_bytes(sample.type, longest, config.level) +
                                           series_n * sizeof(std::size_t)));
    NUMPACT_TRY(ensure_memory(2 * series_n * sizeof(NumberView)));
    NUMPACT_TRY(chunk_sizes(config, sample.count, *arena, sizes));
    recipe = RecipeChooser(sample, sizes, config, *arena).choose();
    return {};
  });
}

Result<Recipe> parse_recipe(std::string_view text) noexcept {
  return guarded_value<Recipe>([&](Recipe& recipe) { return parse(text, recipe); });
}

std::string to_string(const Recipe& recipe) {
  std::string text(name_of(recipe.type));
  text.append(" ").append(to_string(recipe.mode)).append(" ").append(to_string(recipe.delta));
  if (recipe.encodes_secondary) text.append(" ").append(kSecondaryWord);
  if (recipe.delta.delta() != Delta::kConv1) return text;
  text.append(" ").append(kWeightsWord);
  text.append(std::to_string(recipe.quantization)).append(":");
  text.append(std::to_string(recipe.bias));
  const std::size_t order = std::min<std::size_t>(recipe.delta.order(), recipe.weights.size());
  for (std::size_t i = 0; i < order; ++i) {
    text.append(i == 0 ? ":" : ",").append(std::to_string(recipe.weights[i]));
  }
  return text;
}

}  // namespace numpact

// SPDX-License-Identifier: Apache-2.0
#include "text/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "failure.hpp"

namespace numpact::cli {
namespace {

std::string_view before_value(std::string_view word) { return word.substr(0, word.find('=')); }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the table of distances between prefixes of a and b: the row before the last, the last,
  // and the current one.
  std::vector<std::size_t> older(b.size() + 1);
  std::vector<std::size_t> old(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    older.swap(old);
    old.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({old[j] + 1, row[j - 1] + 1, old[j - 1] + change});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], older[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest_word(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kMaxLetters = 64;  // bounds the work
  const std::string_view given = before_value(word);
  if (given.empty() || given.size() > kMaxLetters) return {};
  std::string_view nearest;
  std::size_t min_distance = ~std::size_t{0};
  std::string_view begun;
  std::size_t begun_count = 0;
  for (const std::string& choice : known) {
    const std::string_view name = before_value(choice);
    if (name.starts_with(given)) {
      begun = choice;
      ++begun_count;
    }
    const std::size_t distance = edit_distance(given, name);
    if (3 * distance > std::max(given.size(), name.size()) || distance >= min_distance) continue;
    nearest = choice;
    min_distance = distance;
  }
  if (nearest.empty() && begun_count == 1 && given.size() > 1) return begun;
  return nearest;
}

std::string nearest_hint(std::string_view word, const std::vector<std::string>& known) {
  const std::string_view nearest = nearest_word(word, known);
  return nearest.empty() ? std::string() : fmt::format("; nearest: {}", nearest);
}

void fail_choice(const std::string& option, std::string_view word,
                 const std::vector<std::string>& choices) {
  fail_usage(option, "'{}' is none of {}{}", word, fmt::join(choices, ", "),
             nearest_hint(word, choices));
}

}  // namespace numpact::cli

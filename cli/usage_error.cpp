// SPDX-License-Identifier: Apache-2.0
// The parser says that something is wrong, in words of its own that name no alternative. So the
// command line is gone through again, for the first fault that a user would see.
#include "usage_error.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "nearest.hpp"

namespace numpact::cli {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

const CLI::App* find_command(const CLI::App& app, std::string_view name) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

// "numpact cvc pack".
std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

std::string see_help(const CLI::App& app) {
  return fmt::format(" (see {} --help)", full_name(app));
}

// No command has such a name.
bool is_file_name(std::string_view word) { return word.find_first_of("./") != word.npos; }

bool looks_like_file(const std::string& word) {
  std::error_code ignored;
  return is_file_name(word) || std::filesystem::exists(word, ignored);
}

std::string wrong_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names = command_names(app);
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  // Commands of groups too: "numpact pack" means "numpact cvc pack".
  for (const CLI::App* command : app.get_subcommands({})) {
    for (const std::string& inner : command_names(*command)) {
      if (inner == word) {
        return fmt::format("no command '{}'; nearest: {} {}{}", word, command->get_name(), inner,
                           see_help(app));
      }
    }
  }
  const std::string hint = is_file_name(word) ? "" : nearest_hint(word, names);
  if (hint.empty() && looks_like_file(word)) {
    return fmt::format("a command is missing before '{}': {}{}", word, list, see_help(app));
  }
  if (hint.empty()) return fmt::format("no command '{}', but {}{}", word, list, see_help(app));
  return fmt::format("no command '{}'{}{}", word, hint, see_help(app));
}

// The words after a command, held against its options.
class Words {
 public:
  Words(const CLI::App& command, std::span<const std::string> words)
      : command_(command), words_(words) {}

  // The first fault; empty where there is none.
  std::string fault() {
    while (at_ < words_.size() && fault_.empty()) {
      const std::string& word = words_[at_++];
      if (word == "--") {
        for (; at_ < words_.size(); ++at_) add_positional(words_[at_]);
      } else if (word.starts_with("--")) {
        look_at_long(word);
      } else if (word.size() > 1 && word[0] == '-' && !is_digit(word[1])) {
        look_at_short(word);
      } else {
        add_positional(word);
      }
    }
    if (fault_.empty()) look_at_counts();
    return fault_;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  void fail(std::string text) {
    if (fault_.empty()) fault_ = std::move(text);
  }

  static bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

  void look_at_long(const std::string& word) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(2, equals - 2);
    const CLI::Option* option = nullptr;
    std::vector<std::string> known;
    for (const CLI::Option* one : command_.get_options()) {
      for (const std::string& other : one->get_lnames()) {
        if (other == name) option = one;
        known.push_back("--" + other);
      }
    }
    if (option == nullptr) {
      const std::string given = word.substr(0, equals);
      return fail(fmt::format("no option '{}'{}", given, nearest_hint(given, known)));
    }
    const bool has_value = equals < word.size();
    if (has_value && !takes_value(*option)) {
      return fail(
          fmt::format("--{}: takes no value, '{}' was given", name, word.substr(equals + 1)));
    }
    count(*option, has_value);
  }

  void look_at_short(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const std::string name(1, word[i]);
      const CLI::Option* option = nullptr;
      for (const CLI::Option* one : command_.get_options()) {
        if (one->check_sname(name)) option = one;
      }
      if (option == nullptr) return fail(wrong_short(word, name));
      if (takes_value(*option)) return count(*option, i + 1 < word.size());
      count(*option, false);
    }
  }

  std::string wrong_short(const std::string& word, const std::string& name) const {
    if (word.size() == 2) return fmt::format("no option '{}'", word);
    std::vector<std::string> known;
    for (const CLI::Option* one : command_.get_options()) {
      for (const std::string& other : one->get_lnames()) known.push_back("--" + other);
    }
    // "-level" for "--level".
    const std::string hint = nearest_hint("-" + word, known);
    if (!hint.empty()) return fmt::format("no option '{}'{}", word, hint);
    if (looks_like_file(word)) {
      return fmt::format("no option '-{}' in '{}' (a file of that name: ./{})", name, word, word);
    }
    return fmt::format("no option '-{}' in '{}'", name, word);
  }

  void count(const CLI::Option& option, bool has_value) {
    ++counts_[&option];
    if (has_value || !takes_value(option)) return;
    if (at_ == words_.size()) {
      return fail(
          fmt::format("{}: its value is missing ({})", option.get_name(), option.get_type_name()));
    }
    ++at_;
  }

  void add_positional(const std::string& word) { positionals_.push_back(word); }

  void look_at_counts() {
    for (const CLI::Option* option : command_.get_options()) {
      const bool is_single = takes_value(*option) && !option->get_positional() &&
                             option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw;
      if (is_single && counts_[option] > 1) {
        return fail(fmt::format("{}: is given {} times", option->get_name(), counts_[option]));
      }
    }
    std::size_t room = 0;
    for (const CLI::Option* option : command_.get_options()) {
      if (!option->get_positional()) continue;
      if (option->get_required() && positionals_.size() <= room) {
        return fail(fmt::format("{} is missing", option->get_name(true)));
      }
      room += static_cast<std::size_t>(option->get_items_expected_max());
    }
    if (positionals_.size() > room) {
      fail(fmt::format("'{}' is one argument too many", positionals_[room]));
    }
  }

  const CLI::App& command_;
  std::span<const std::string> words_;
  std::size_t at_ = 0;
  std::string fault_;
  std::map<const CLI::Option*, std::size_t> counts_;
  std::vector<std::string> positionals_;
};

template <class T>
std::optional<T> parse(const std::string& text) {
  T number{};
  const std::from_chars_result parsed =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

template <class Check>
CLI::Validator validator(Check check) {
  return CLI::Validator([check](std::string& text) { return check(text); }, "");
}

}  // namespace

std::string usage_error(const CLI::App& app, const std::vector<std::string>& words,
                        const CLI::ParseError& error) {
  const CLI::App* command = &app;
  std::size_t at = 0;
  while (!command->get_subcommands({}).empty()) {
    if (at == words.size()) {
      return fmt::format("a command is missing: {}{}", fmt::join(command_names(*command), ", "),
                         see_help(*command));
    }
    const std::string& word = words[at++];
    if (word.size() > 1 && word[0] == '-') {
      return fmt::format("no option '{}' before a command{}", word, see_help(*command));
    }
    const CLI::App* inner = find_command(*command, word);
    if (inner == nullptr) return wrong_command(*command, word);
    command = inner;
  }
  // The words of a check of ours, with the option in front.
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return error.what();
  const std::string fault = Words(*command, std::span(words).subspan(at)).fault();
  return (fault.empty() ? std::string(error.what()) : fault) + see_help(*command);
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return validator([least, most](const std::string& text) {
    const std::optional<std::uint64_t> number = parse<std::uint64_t>(text);
    if (number && *number >= least && *number <= most) return std::string();
    const bool is_open = most == std::numeric_limits<std::uint64_t>::max();
    return fmt::format("'{}' is no whole number from {}{}", text, least,
                       is_open ? " on" : fmt::format(" to {}", most));
  });
}

CLI::Validator real_number() {
  return validator([](const std::string& text) {
    return parse<double>(text) ? std::string() : fmt::format("'{}' is no number", text);
  });
}

CLI::Validator not_empty() {
  return validator([](const std::string& text) {
    return text.empty() ? std::string("its value is empty") : std::string();
  });
}

CLI::Validator seconds_from_zero() {
  return validator([](const std::string& text) {
    const std::optional<double> number = parse<double>(text);
    const bool is_good = number && *number >= 0 && std::isfinite(*number);
    return is_good ? std::string() : fmt::format("'{}' is no number of seconds from 0 on", text);
  });
}

}  // namespace numpact::cli

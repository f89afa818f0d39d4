// SPDX-License-Identifier: Apache-2.0
// CLI11 reports an error but suggests no alternative. So the arguments are parsed again here, to
// find the first fault that a user would see.
#include "commands/usage_error.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "failure.hpp"
#include "platform/files.hpp"
#include "platform/read_number.hpp"
#include "text/nearest.hpp"

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

// The full name of a command, as "numpact cvc pack".
std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

std::string see_help(const CLI::App& app) {
  return fmt::format(" (see {} --help)", full_name(app));
}

// Command names contain neither dots nor slashes.
bool is_file_name(std::string_view arg) { return arg.find_first_of("./") != arg.npos; }

bool looks_like_file(const std::string& arg) {
  platform::FileInfo found;
  return is_file_name(arg) || platform::look_at(arg, found);
}

std::string wrong_command(const CLI::App& app, const std::string& arg) {
  std::vector<std::string> names = command_names(app);
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  // Includes commands of groups: "numpact pack" means "numpact cvc pack".
  for (const CLI::App* command : app.get_subcommands({})) {
    for (const std::string& inner : command_names(*command)) {
      if (inner == arg) {
        return fmt::format("no command '{}'; nearest: {} {}{}", arg, command->get_name(), inner,
                           see_help(app));
      }
    }
  }
  const std::string hint = is_file_name(arg) ? "" : nearest_hint(arg, names);
  if (hint.empty() && looks_like_file(arg)) {
    return fmt::format("a command is missing before '{}': {}{}", arg, list, see_help(app));
  }
  if (hint.empty()) return fmt::format("no command '{}', but {}{}", arg, list, see_help(app));
  return fmt::format("no command '{}'{}{}", arg, hint, see_help(app));
}

// Checks the arguments after a command against its options.
class ArgumentChecker {
 public:
  ArgumentChecker(const CLI::App& command, std::span<const std::string> args)
      : command_(command), args_(args) {}

  // The first fault; empty if there is none.
  std::string fault() {
    while (at_ < args_.size() && fault_.empty()) {
      const std::string& arg = args_[at_++];
      if (arg == "--") {
        for (; at_ < args_.size(); ++at_) add_positional(args_[at_]);
      } else if (arg.starts_with("--")) {
        check_long(arg);
      } else if (arg.size() > 1 && arg[0] == '-' && !is_digit(arg[1])) {
        check_short(arg);
      } else {
        add_positional(arg);
      }
    }
    if (fault_.empty()) check_counts();
    return fault_;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  void fail(std::string text) {
    if (fault_.empty()) fault_ = std::move(text);
  }

  static bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

  void check_long(const std::string& arg) {
    const std::size_t equals = std::min(arg.find('='), arg.size());
    const std::string name = arg.substr(2, equals - 2);
    const CLI::Option* option = nullptr;
    std::vector<std::string> known;
    for (const CLI::Option* one : command_.get_options()) {
      for (const std::string& other : one->get_lnames()) {
        if (other == name) option = one;
        known.push_back("--" + other);
      }
    }
    if (option == nullptr) {
      const std::string given = arg.substr(0, equals);
      return fail(fmt::format("no option '{}'{}", given, nearest_hint(given, known)));
    }
    const bool has_value = equals < arg.size();
    if (has_value && !takes_value(*option)) {
      return fail(
          fmt::format("--{}: takes no value, '{}' was given", name, arg.substr(equals + 1)));
    }
    count(*option, has_value);
  }

  void check_short(const std::string& arg) {
    for (std::size_t i = 1; i < arg.size(); ++i) {
      const std::string name(1, arg[i]);
      const CLI::Option* option = nullptr;
      for (const CLI::Option* one : command_.get_options()) {
        if (one->check_sname(name)) option = one;
      }
      if (option == nullptr) return fail(wrong_short(arg, name));
      if (takes_value(*option)) return count(*option, i + 1 < arg.size());
      count(*option, false);
    }
  }

  std::string wrong_short(const std::string& arg, const std::string& name) const {
    if (arg.size() == 2) return fmt::format("no option '{}'", arg);
    std::vector<std::string> known;
    for (const CLI::Option* one : command_.get_options()) {
      for (const std::string& other : one->get_lnames()) known.push_back("--" + other);
    }
    // "-level" for "--level".
    const std::string hint = nearest_hint("-" + arg, known);
    if (!hint.empty()) return fmt::format("no option '{}'{}", arg, hint);
    if (looks_like_file(arg)) {
      return fmt::format("no option '-{}' in '{}' (a file of that name: ./{})", name, arg, arg);
    }
    return fmt::format("no option '-{}' in '{}'", name, arg);
  }

  void count(const CLI::Option& option, bool has_value) {
    ++counts_[&option];
    if (has_value || !takes_value(option)) return;
    if (at_ == args_.size()) {
      return fail(
          fmt::format("{}: its value is missing ({})", option.get_name(), option.get_type_name()));
    }
    ++at_;
  }

  void add_positional(const std::string& arg) { positionals_.push_back(arg); }

  void check_counts() {
    for (const CLI::Option* option : command_.get_options()) {
      const bool is_single = takes_value(*option) && !option->get_positional() &&
                             option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw;
      if (is_single && counts_[option] > 1) {
        return fail(fmt::format("{}: is given {} times", option->get_name(), counts_[option]));
      }
    }
    std::size_t capacity = 0;
    for (const CLI::Option* option : command_.get_options()) {
      if (!option->get_positional()) continue;
      if (option->get_required() && positionals_.size() <= capacity) {
        return fail(fmt::format("{} is missing", option->get_name(true)));
      }
      capacity += static_cast<std::size_t>(option->get_items_expected_max());
    }
    if (positionals_.size() > capacity) {
      fail(fmt::format("'{}' is one argument too many", positionals_[capacity]));
    }
  }

  const CLI::App& command_;
  std::span<const std::string> args_;
  std::size_t at_ = 0;
  std::string fault_;
  std::map<const CLI::Option*, std::size_t> counts_;
  std::vector<std::string> positionals_;
};

template <class T>
std::optional<T> parse(const std::string& text) {
  T number{};
  const std::from_chars_result parsed =
      internal::platform::read_number(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

template <class Check>
CLI::Validator validator(Check check) {
  return CLI::Validator([check](std::string& text) { return check(text); }, "");
}

}  // namespace

std::string usage_error(const CLI::App& app, const std::vector<std::string>& args,
                        const CLI::ParseError& error) {
  const CLI::App* command = &app;
  std::size_t at = 0;
  while (!command->get_subcommands({}).empty()) {
    if (at == args.size()) {
      return fmt::format("a command is missing: {}{}", fmt::join(command_names(*command), ", "),
                         see_help(*command));
    }
    const std::string& arg = args[at++];
    if (arg.size() > 1 && arg[0] == '-') {
      return fmt::format("no option '{}' before a command{}", arg, see_help(*command));
    }
    const CLI::App* inner = find_command(*command, arg);
    if (inner == nullptr) return wrong_command(*command, arg);
    command = inner;
  }
  // The message of one of our validators, after the option's name.
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return error.what();
  const std::string fault = ArgumentChecker(*command, std::span(args).subspan(at)).fault();
  return (fault.empty() ? std::string(error.what()) : fault) + see_help(*command);
}

CLI::Validator whole_number(std::uint64_t min, std::uint64_t max) {
  return validator([min, max](const std::string& text) {
    const std::optional<std::uint64_t> number = parse<std::uint64_t>(text);
    if (number && *number >= min && *number <= max) return std::string();
    const bool is_open = max == std::numeric_limits<std::uint64_t>::max();
    return fmt::format("'{}' is not a whole number from {}{}", text, min,
                       is_open ? " on" : fmt::format(" to {}", max));
  });
}

CLI::Validator real_number() {
  return validator([](const std::string& text) {
    return parse<double>(text) ? std::string() : fmt::format("'{}' is not a number", text);
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
    return is_good ? std::string() : fmt::format("'{}' is not a number of seconds from 0 on", text);
  });
}

}  // namespace numpact::cli

// SPDX-License-Identifier: Apache-2.0
// Adds options and arguments to a command.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace numpact::cli {

// An option with a value, which help calls `value`.
template <class T>
CLI::Option* add_value(CLI::App& command, const char* name, const char* value, T& to,
                       const std::string& what) {
  return command.add_option(name, to, what)->type_name(value);
}

// One that may be given several times.
template <class T>
CLI::Option* add_list(CLI::App& command, const char* name, const char* value, T& to,
                      const std::string& what) {
  return add_value(command, name, value, to, what)->expected(1)->take_all();
}

// An argument, which must be given.
template <class T>
CLI::Option* add_argument(CLI::App& command, const char* name, T& to, const std::string& what) {
  return add_value(command, name, "", to, what)->required();
}

}  // namespace numpact::cli

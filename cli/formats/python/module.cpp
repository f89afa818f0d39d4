// SPDX-License-Identifier: Apache-2.0
// The command as the extension module numpact._cli.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cstdio>
#include <string>
#include <vector>

#include "commands/commands.hpp"

namespace nb = nanobind;

NB_MODULE(_cli, m) {
  m.doc() = "The command of numpact; see numpact._command.";
  // The words of the command line as bytes, the name of the program first. Must be called once,
  // before any thread exists. Gives the exit code; signals, and the name of the processor's
  // instructions, stay as the command sets them, so that the process is to end then.
  m.def(
      "run",
      [](const std::vector<nb::bytes>& words) {
        std::vector<std::string> arguments;
        for (const nb::bytes& word : words) arguments.emplace_back(word.c_str(), word.size());
        const nb::gil_scoped_release release;
        const int code = numpact::cli::run_program(arguments);
        std::fflush(nullptr);
        return code;
      },
      nb::arg("words"));
}

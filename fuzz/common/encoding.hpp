// SPDX-License-Identifier: Apache-2.0
// Configs as an input chooses them, and files encoded with them.
#pragma once

#include "common/numbers.hpp"
#include "common/target.hpp"
#include "numpact/numpact.hpp"

namespace numpact::fuzz {

// Encoders that take part: those that work in turn, in any order, on the calling thread.
class InTurn final : public Executor {
 public:
  explicit InTurn(unsigned concurrency, bool is_backwards)
      : concurrency_(concurrency), is_backwards_(is_backwards) {}
  unsigned concurrency() const noexcept override { return concurrency_; }
  void run(std::size_t task_n, TaskFunction task, void* argument) override {
    for (std::size_t i = 0; i < task_n; ++i) task(argument, is_backwards_ ? task_n - 1 - i : i);
  }

 private:
  unsigned concurrency_;
  bool is_backwards_;
};

// Any, also such as contradict the type.
EncodeConfig draw_config(Draw& draw, NumberType type, std::size_t n);

struct Encoded {
  NumberArray numbers;
  EncodeConfig config;
  Bytes file;
};

// Whether a file tells its type without a chunk: only of format 4.0 on.
inline bool names_type(const EncodeConfig& config) {
  return config.uniform_type && config.compatibility >= Compatibility::kV4_0;
}

struct EncodeOptions {
  std::optional<TrailerSpec> trailer;  // in place of what is drawn
};

TrailerSpec draw_trailer(Draw& draw);
// Numbers, a config that suits them, and the file of them.
Encoded draw_encoded(Draw& draw, std::size_t max_n, const EncodeOptions& options = {});

}  // namespace numpact::fuzz

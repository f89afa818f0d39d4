// SPDX-License-Identifier: Apache-2.0
// Options as Python hands them over.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "numpact/config.hpp"
#include "numpact/file_lock.hpp"

namespace numpact::python {

namespace nb = nanobind;

// Mode and delta as text ("int-mult=60", "consecutive=2"); paging as numpact/_specs.py normalises
// it: a number, a sequence of numbers, or None for automatic.
EncodeConfig encode_config(unsigned level, const std::string& mode, const std::string& delta,
                           nb::handle paging);
// Parses a request for a mode or a delta encoding. Returns it in its normal form.
std::string normal_mode(const std::string& text);
std::string normal_delta(const std::string& text);
// The readers: the oldest format version, "4.1", and whether decoding should be fast.
void set_reading(EncodeConfig& config, std::string_view compat, float decode_weight);
// None: no trailer; 0: one without restart points; else their distance, as a power of two.
TrailerSpec trailer_spec(std::optional<unsigned> trailer);
// "use", "ignore", "require".
TrailerPolicy trailer_policy(std::string_view name);
// Numbers between restart points; None where there are none.
nb::object restart_distance(std::optional<unsigned> log);

// max_output: bytes of numbers; none: no limit.
DecodeLimits decode_limits(std::optional<std::uint64_t> max_output);

// A Python callable as a ProgressCallback, called with (numbers, bytes) while the GIL is held only
// for that. What it raises stops the work and is raised again by `rethrow`. Without a callable it
// still looks for signals now and then, so that Ctrl-C stops long work.
class PythonProgress {
 public:
  PythonProgress() : callback_(nb::none()) {}
  explicit PythonProgress(nb::object callback) : callback_(std::move(callback)) {}

  bool is_idle() const { return callback_.is_none(); }
  ProgressCallback function();
  // Whether to continue: no signal with a handler that raises has arrived.
  bool look_for_signals();
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  bool call(const Progress& progress);

  nb::object callback_;  // None: only signals
  std::chrono::steady_clock::time_point next_look_{};
  std::uint64_t reported_ = 0;  // numbers, the last time
  std::exception_ptr raised_;
};

// None: without end. `progress`, which must stay, looks for signals meanwhile.
LockConfig lock_config(std::optional<std::uint64_t> timeout_ms, PythonProgress& progress);

// Calls `on_end`, a Python callable or None, with the warning, the size of the file and where other
// bytes begin, or None, if there is something to warn of.
void tell_of_end(const FileEnd& end, nb::handle on_end);

// Runs `work` without the GIL; raises its status if that is an error.
template <class Work>
void run(const PythonProgress& progress, Work&& work);

}  // namespace numpact::python

#include "errors.hpp"
#include "gil.hpp"

namespace numpact::python {

template <class Work>
void run(const PythonProgress& progress, Work&& work) {
  Status status;
  {
    const GilRelease release;
    status = work();
  }
  progress.rethrow();
  raise_if_error(status);
}

}  // namespace numpact::python

// SPDX-License-Identifier: Apache-2.0
#include "config.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

namespace numpact::python {
namespace {

// Taking the GIL can mean to wait for another thread's turn to end, 5 ms by default.
constexpr std::chrono::milliseconds kBetweenLooks{50};

[[noreturn]] void invalid(const char* what) {
  raise_if_error(Status(ErrorKind::kInvalidArgument, what));
  throw nb::value_error(what);
}

template <class Spec>
Spec spec_of(const Result<Spec>& spec) {
  raise_if_error(spec.status());
  return *spec;
}

ModeSpec mode_spec(const std::string& text) { return spec_of(parse_mode_spec(text)); }

DeltaSpec delta_spec(const std::string& text) { return spec_of(parse_delta_spec(text)); }

PagingSpec paging_spec(nb::handle spec) {
  if (spec.is_none()) return PagingSpec::automatic();
  if (nb::isinstance<nb::int_>(spec)) {
    return PagingSpec::equal_pages_up_to(nb::cast<std::size_t>(spec));
  }
  return PagingSpec::exact(nb::cast<std::vector<std::size_t>>(spec));
}

}  // namespace

std::string normal_mode(const std::string& text) { return to_string(mode_spec(text)); }
std::string normal_delta(const std::string& text) { return to_string(delta_spec(text)); }

void tell_of_end(const FileEnd& end, nb::handle on_end) {
  const std::string_view warning = end.warning();
  if (on_end.is_none() || warning.empty()) return;
  on_end(nb::str(warning.data(), warning.size()), end.file_bytes, end.foreign_at);
}

EncodeConfig encode_config(unsigned level, const std::string& mode, const std::string& delta,
                           nb::handle paging) {
  EncodeConfig config;
  config.level = level;
  config.mode = mode_spec(mode);
  config.delta = delta_spec(delta);
  config.paging = paging_spec(paging);
  return config;
}

void set_reading(EncodeConfig& config, std::string_view compat, float decode_weight) {
  const std::optional<Compatibility> version = compatibility_of_name(compat);
  if (!version) invalid("compat must be one of 1, 2, 3, 4.0, 4.1");
  config.compatibility = *version;
  config.decode_weight = decode_weight;
}

TrailerSpec trailer_spec(std::optional<unsigned> trailer) {
  if (!trailer) return TrailerSpec::none();
  return *trailer == 0 ? TrailerSpec::index() : TrailerSpec::restarts(*trailer);
}

TrailerPolicy trailer_policy(std::string_view name) {
  if (name == "use") return TrailerPolicy::kUse;
  if (name == "ignore") return TrailerPolicy::kIgnore;
  if (name == "require") return TrailerPolicy::kRequire;
  if (name == "verify") return TrailerPolicy::kVerify;
  invalid("trailer must be one of use, ignore, require, verify");
}

nb::object restart_distance(std::optional<unsigned> log) {
  if (!log) return nb::none();
  return nb::int_(std::uint64_t{1} << *log);
}

DecodeLimits decode_limits(std::optional<std::uint64_t> max_output) {
  DecodeLimits limits;
  if (max_output) limits.max_output_bytes = *max_output;
  return limits;
}

ProgressCallback PythonProgress::function() {
  return [this](const Progress& progress) { return call(progress); };
}

bool PythonProgress::look_for_signals() {
  const GilAcquire acquire;
  if (PyErr_CheckSignals() == 0) return true;
  try {
    throw nb::python_error();
  } catch (...) {
    raised_ = std::current_exception();
  }
  return false;
}

LockConfig lock_config(std::optional<std::uint64_t> timeout_ms, PythonProgress& progress) {
  LockConfig config;
  if (timeout_ms) config.timeout = std::chrono::milliseconds(*timeout_ms);
  config.while_waiting = [&progress](std::chrono::milliseconds) {
    return progress.look_for_signals();
  };
  return config;
}

bool PythonProgress::call(const Progress& progress) {
  if (is_idle()) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_) return true;
    next_look_ = now + kBetweenLooks;
  }
  const GilAcquire acquire;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    // A second attempt begins at 0 again.
    if (is_idle() || progress.numbers < reported_) return true;
    reported_ = progress.numbers;
    const nb::object answer = callback_(progress.numbers, progress.bytes);
    return answer.is_none() || nb::cast<bool>(answer);
  } catch (...) {
    raised_ = std::current_exception();
    return false;
  }
}

}  // namespace numpact::python

// SPDX-License-Identifier: Apache-2.0
#include "csv/time_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>

#include "numbers/logical_type.hpp"
#include "platform/compiler.hpp"

namespace numpact::cli {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

}  // namespace

TimeValues::TimeValues(const std::optional<LogicalType>& stated) : stated_(stated) {
  if (stated_) segments_.push_back({0, unit_of(*stated_)});
}

TimeValues::Unit TimeValues::unit_of(const LogicalType& type) {
  if (type.kind == LogicalKind::kDate32) return Unit::kDay;
  if (type.kind == LogicalKind::kDate64) return Unit::kMilli;
  switch (type.unit) {
    case TimeUnit::kMilli:
      return Unit::kMilli;
    case TimeUnit::kMicro:
      return Unit::kMicro;
    case TimeUnit::kNano:
      return Unit::kNano;
    default:
      return Unit::kSecond;
  }
}

TimeValues::Unit TimeValues::unit_for(const Literal& literal) {
  if (literal.kind == LiteralKind::kDate) return Unit::kDay;
  if (literal.fraction_digits == 0) return Unit::kSecond;
  if (literal.fraction_digits <= 3) return Unit::kMilli;
  return literal.fraction_digits <= 6 ? Unit::kMicro : Unit::kNano;
}

std::int64_t TimeValues::per_second(Unit unit) {
  switch (unit) {
    case Unit::kMilli:
      return 1'000;
    case Unit::kMicro:
      return 1'000'000;
    case Unit::kNano:
      return kNanosPerSecond;
    default:
      return 1;
  }
}

std::size_t TimeValues::fraction_digits(Unit unit) {
  switch (unit) {
    case Unit::kMilli:
      return 3;
    case Unit::kMicro:
      return 6;
    case Unit::kNano:
      return 9;
    default:
      return 0;
  }
}

bool TimeValues::in_unit(std::int64_t seconds, std::uint32_t nanoseconds, Unit unit,
                         std::int64_t& value) {
  if (unit == Unit::kDay) {
    value = seconds / kSecondsPerDay;  // exact: it is a date
    return value >= std::numeric_limits<std::int32_t>::min() &&
           value <= std::numeric_limits<std::int32_t>::max();
  }
  const std::int64_t scale = per_second(unit);
  const std::int64_t fraction = nanoseconds / (kNanosPerSecond / scale);
  // Seconds before 1970 are negative, but fractions are positive. The product alone may overflow
  // where the sum does not, so one second moves to the fraction.
  const bool borrows = seconds < 0 && fraction > 0;
  std::int64_t product = 0;
  if (internal::platform::multiply_overflows(borrows ? seconds + 1 : seconds, scale, &product))
    return false;
  return !internal::platform::add_overflows(product, borrows ? fraction - scale : fraction, &value);
}

void TimeValues::note_extremes(const Literal& literal, std::uint64_t line) {
  const auto here = std::tie(literal.seconds, literal.nanoseconds);
  const auto take = [&](Extreme& extreme) {
    extreme.seconds = literal.seconds;
    extreme.nanoseconds = literal.nanoseconds;
    extreme.where = Occurrence();
    extreme.where.add(line, literal.text);
  };
  if (!earliest_.where || here < std::tie(earliest_.seconds, earliest_.nanoseconds)) {
    take(earliest_);
  }
  if (!latest_.where || here > std::tie(latest_.seconds, latest_.nanoseconds)) take(latest_);
}

std::uint64_t TimeValues::add(const Literal& literal, std::uint64_t line) {
  are_times_ = literal.kind == LiteralKind::kTime;
  if (literal.kind == LiteralKind::kTimestamp || literal.kind == LiteralKind::kDate) {
    (literal.zoned ? zoned_ : zoneless_).add(line, literal.text);
  }
  if (literal.has_offset) offsets_.add(line, literal.text);
  if (literal.too_fine) too_fine_.add(line, literal.text);
  note_extremes(literal, line);
  const Unit unit = unit_for(literal);
  if (stated_) {
    const bool is_date =
        stated_->kind == LogicalKind::kDate32 || stated_->kind == LogicalKind::kDate64;
    const std::int64_t step = kNanosPerSecond / per_second(segments_.back().unit);
    const bool is_finer =
        is_date ? literal.kind != LiteralKind::kDate : literal.nanoseconds % step != 0;
    if (is_finer) finer_.add(line, literal.text);
  } else if (segments_.empty() || unit > segments_.back().unit)
    segments_.push_back({count_, unit});
  ++count_;
  std::int64_t value = 0;
  const Unit slot_unit = segments_.back().unit;
  const bool fits = in_unit(literal.seconds, literal.nanoseconds, slot_unit, value);
  // problem() detects an overflow later from the extremes. Days always fit in a slot, even beyond
  // the range of date32: they may become timestamps.
  if (!fits && slot_unit != Unit::kDay) value = 0;
  return static_cast<std::uint64_t>(value);
}

bool TimeValues::add_run(const TimeRun& run, std::span<std::uint64_t> slots) {
  const Unit unit = segments_.empty() ? run.unit : std::max(run.unit, segments_.back().unit);
  if (unit != run.unit) {
    const std::int64_t scale =
        (run.unit == Unit::kDay ? kSecondsPerDay : 1) * per_second(unit) / per_second(run.unit);
    for (const std::uint64_t slot : slots) {
      std::int64_t value = 0;
      if (internal::platform::multiply_overflows(static_cast<std::int64_t>(slot), scale, &value)) {
        return false;
      }
    }
    for (std::uint64_t& slot : slots) slot *= static_cast<std::uint64_t>(scale);
  }
  if (segments_.empty() || unit > segments_.back().unit) segments_.push_back({count_, unit});
  are_times_ = run.first.kind == LiteralKind::kTime;
  if (!are_times_) (run.first.zoned ? zoned_ : zoneless_).add(run.first_line, run.first.text);
  if (run.offset_count > 0) {
    offsets_.add(run.offset_count, run.first_offset_line, run.first_offset.text);
  }
  note_extremes(run.earliest, run.earliest_line);
  note_extremes(run.latest, run.latest_line);
  count_ += slots.size();
  return true;
}

LogicalType TimeValues::logical_type() const {
  if (stated_) return *stated_;
  const Unit unit = segments_.empty() ? Unit::kSecond : segments_.back().unit;
  const bool is_fine = unit == Unit::kMicro || unit == Unit::kNano;
  LogicalType type;
  switch (unit) {
    case Unit::kMilli:
      type.unit = TimeUnit::kMilli;
      break;
    case Unit::kMicro:
      type.unit = TimeUnit::kMicro;
      break;
    case Unit::kNano:
      type.unit = TimeUnit::kNano;
      break;
    default:
      break;
  }
  type.kind = are_times_           ? (is_fine ? LogicalKind::kTime64 : LogicalKind::kTime32)
              : unit == Unit::kDay ? LogicalKind::kDate32
                                   : LogicalKind::kTimestamp;
  if (zoned_) type.timezone = "UTC";
  return type;
}

std::optional<std::string> TimeValues::problem() const {
  if (segments_.empty()) return std::nullopt;
  if (too_fine_) return fmt::format("{} is finer than nanoseconds", too_fine_.place());
  if (stated_) {
    if (std::optional<std::string> problem = stated_problem()) return problem;
  } else if (zoned_ && zoneless_) {
    return fmt::format("{} has no time zone, '{}' on line {} has one", zoneless_.place(),
                       zoned_.first->text, zoned_.first->line);
  }
  const LogicalType type = logical_type();
  for (const Extreme* extreme : {&earliest_, &latest_}) {
    std::int64_t value = 0;
    if (in_unit(extreme->seconds, extreme->nanoseconds, segments_.back().unit, value)) continue;
    return fmt::format("{} is out of the range of {}", extreme->where.place(),
                       describe(type, NumberType::kI64));
  }
  return std::nullopt;
}

std::optional<std::string> TimeValues::stated_problem() const {
  if (finer_) {
    return fmt::format("{} is finer than {}", finer_.place(), describe(*stated_, NumberType::kI64));
  }
  if (stated_->kind != LogicalKind::kTimestamp) return std::nullopt;
  if (stated_->timezone.empty() && zoned_) return zoned_.place() + " has a time zone";
  if (!stated_->timezone.empty() && zoneless_) return zoneless_.place() + " has no time zone";
  return std::nullopt;
}

std::vector<std::string> TimeValues::notes() const {
  if (!offsets_) return {};
  return {fmt::format("offsets are not kept, times become UTC: {} value{}, the first on {}",
                      offsets_.count, offsets_.count == 1 ? "" : "s", offsets_.place())};
}

void TimeValues::convert(std::span<const std::uint64_t> slots, std::uint64_t first,
                         std::byte* out) const {
  const Unit finest = segments_.back().unit;
  const std::size_t size = size_of(*table::stored_type(logical_type().kind));
  std::size_t segment = 0;
  const bool are_stored = size == sizeof(std::uint64_t) && segments_.size() == 1;
  if (are_stored) {
    if (!slots.empty()) std::memcpy(out, slots.data(), slots.size_bytes());
    return;
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    while (segment + 1 < segments_.size() && segments_[segment + 1].first_slot <= first + i) {
      ++segment;
    }
    auto value = static_cast<std::int64_t>(slots[i]);
    const Unit unit = segments_[segment].unit;
    if (unit == Unit::kDay && finest != Unit::kDay) value *= kSecondsPerDay;
    value *= per_second(finest) / per_second(unit);  // cannot overflow if problem() found none
    if (size == sizeof(std::int32_t)) {
      const auto narrow = static_cast<std::int32_t>(value);
      std::memcpy(out + i * size, &narrow, size);
    } else {
      std::memcpy(out + i * size, &value, size);
    }
  }
}

}  // namespace numpact::cli

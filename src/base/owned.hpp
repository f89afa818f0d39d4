// SPDX-License-Identifier: Apache-2.0
// Makes the owners that public classes hold.
#pragma once

#include <memory>
#include <memory_resource>
#include <new>
#include <utility>

#include "base/exceptions.hpp"
#include "numpact/config.hpp"

namespace numpact::internal {

template <class T>
detail::Owned<T> owned(std::unique_ptr<T> object) noexcept {
  return {object.release(), [](T* held) { delete held; }};
}

template <class T>
detail::Owned<T> no_object() noexcept {
  return {nullptr, [](T*) {}};
}

// An object in the memory of a resource, which must be its member `memory`.
template <class T, class... Arguments>
detail::Owned<T> make_owned(std::pmr::memory_resource* memory, Arguments&&... arguments) {
  void* const place = memory->allocate(sizeof(T), alignof(T));
  T* object = nullptr;
  NUMPACT_TRY_BLOCK { object = ::new (place) T(std::forward<Arguments>(arguments)..., memory); }
  NUMPACT_CATCH_ALL {
    memory->deallocate(place, sizeof(T), alignof(T));
    NUMPACT_RETHROW;
  }
  return {object, [](T* held) {
            std::pmr::memory_resource* const own = held->memory;
            held->~T();
            own->deallocate(held, sizeof(T), alignof(T));
          }};
}

}  // namespace numpact::internal

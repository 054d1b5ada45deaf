// SPDX-License-Identifier: Apache-2.0
/**
 * Between a plugin's classes and the opaque pointers of the tables.
 *
 * A class names the handle that stands for it, and cannot be mistaken for another then:
 *
 *     class Stream {
 *      public:
 *       using Handle = collet_plugin_stream_t;
 */
#pragma once

namespace collet::plugin {

/** The handle that stands for an object. */
template <class Object>
[[nodiscard]] typename Object::Handle* to_handle(Object* object) noexcept {
  return reinterpret_cast<typename Object::Handle*>(object);
}

/** The object that a handle stands for; the handle may be NULL only where the table allows it. */
template <class Object>
[[nodiscard]] Object* from_handle(typename Object::Handle* handle) noexcept {
  return reinterpret_cast<Object*>(handle);
}

}  // namespace collet::plugin

// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/validator.hpp"

#include <functional>
#include <sstream>
#include <string_view>

#include "layers/validate/texts.hpp"
#include "log.hpp"
#include "pool/tag.hpp"
#include "pool/waiting_releases.hpp"

namespace collet::loader::validate {
namespace {

// More are seldom at work on one memory; the oldest ones go first.
constexpr std::size_t kMostAccesses = 1024;

// A kernel does not tell what it does with its buffers, so two of them may both only read.
bool conflict(Touch a, Touch b) noexcept {
  return a == Touch::kWrites || b == Touch::kWrites ||
         (a == Touch::kMayWrite) != (b == Touch::kMayWrite);
}

// The buffer that a region begins in, and where it begins.
std::map<std::uint64_t, BufferFacts>::iterator find_buffer(Memory& memory,
                                                           std::uint64_t offset_bytes) noexcept {
  auto after = memory.buffers.upper_bound(offset_bytes);
  if (after == memory.buffers.begin()) {
    return memory.buffers.end();
  }
  const auto found = std::prev(after);
  return offset_bytes - found->first < found->second.size_bytes ? found : memory.buffers.end();
}

}  // namespace

Source Source::of(const void* start, std::uint64_t size_bytes) noexcept {
  return {start, size_bytes,
          std::hash<std::string_view>()({static_cast<const char*>(start), size_bytes})};
}

Validator& Validator::instance() {
  static Validator& validator = *new Validator;
  return validator;
}

// Logs what the body reports, without the mutex: whoever gets the lines may ask streams for their
// progress.
template <class Body>
void Validator::note(Body&& body) noexcept {
  std::vector<std::string> texts;
  try {
    const std::lock_guard lock(mutex_);
    body();
    texts = reports_.take();
  } catch (const std::bad_alloc&) {
    // A hazard is no reason to refuse a call.
    return;
  }
  for (const std::string& text : texts) {
    log(COLLET_LOG_ERROR, text);
  }
}

void Validator::check_order(const Stream& stream, const Memory& memory, const Access& access) {
  for (const Access& other : memory.accesses) {
    const Command& earlier = *other.command;
    if (earlier.stream == stream.number || !conflict(access.touch, other.touch) ||
        !overlap(access.region, other.region) || is_complete(earlier) ||
        stream.before.has_seen(earlier.stream, earlier.number)) {
      continue;
    }
    reports_.add("missing order", earlier.place, access.command->place, [&] {
      const auto buffer = find_buffer(const_cast<Memory&>(memory), access.region.offset_bytes);
      const std::string first = stream_text(earlier.stream, earlier.stream_label);
      const std::string second = stream_text(stream.number, stream.label);
      const std::string what = text_of(access, buffer->first);
      const std::string then = text_of(other, buffer->first);
      std::ostringstream text;
      text << text_of(*access.command) << ' ' << what << " of " << text_of(buffer->second)
           << ", of which " << text_of(earlier) << ' ' << then
           << "; nothing orders the two: record an event on " << first << " after the one, and let "
           << second << " wait for it before the other";
      return text.str();
    });
  }
}

void Validator::check_written(const Touched& touched, const Command& command) {
  const auto buffer = find_buffer(*touched.memory, touched.region.offset_bytes);
  if (touched.touch != Touch::kReads || buffer->second.is_written) {
    return;
  }
  reports_.add("never written", buffer->second.made, command.place, [&] {
    return text_of(command) + ' ' +
           text_of(Access{touched.region, touched.touch, touched.is_open_ended, nullptr},
                   buffer->first) +
           " of " + text_of(buffer->second) + ", to which nothing was written since it was " +
           "allocated at " + buffer->second.made.text();
  });
}

// What the new one makes superfluous goes: who comes after it comes after that too.
void Validator::add_access(Memory& memory, Access access) {
  std::erase_if(memory.accesses, [&](const Access& old) {
    return is_complete(*old.command) ||
           (old.command->stream == access.command->stream && old.touch <= access.touch &&
            contains(access.region, old.region));
  });
  if (memory.accesses.size() == kMostAccesses) {
    memory.accesses.erase(memory.accesses.begin());
  }
  memory.accesses.push_back(std::move(access));
}

void Validator::enqueued(Stream& stream, const std::string& what, std::span<const Touched> touched,
                         const std::optional<Source>& source) noexcept {
  const Place place = Place::here();
  note([&] {
    const auto command = std::make_shared<const Command>(
        Command{what, stream.number, stream.label, ++stream.commands, stream.annotation, place});
    std::vector<Touched> known;
    for (const Touched& one : touched) {
      if (one.memory == nullptr || one.region.is_empty()) {
        continue;
      }
      const auto buffer = find_buffer(*one.memory, one.region.offset_bytes);
      if (buffer != one.memory->buffers.end()) {
        known.push_back(one);
        // Nobody reads what was never written: it is what the kernel makes.
        if (one.touch == Touch::kMayWrite && !buffer->second.is_written) {
          known.back().touch = Touch::kWrites;
        }
      }
    }
    for (const Touched& one : known) {
      check_written(one, *command);
      check_order(stream, *one.memory, {one.region, one.touch, one.is_open_ended, command});
    }
    for (const Touched& one : known) {
      if (one.touch != Touch::kReads) {
        find_buffer(*one.memory, one.region.offset_bytes)->second.is_written = true;
      }
      add_access(*one.memory, {one.region, one.touch, one.is_open_ended, command});
    }
    if (source) {
      pending_.push_back({command, *source});
    }
  });
}

void Validator::waited(Stream& stream, const Event& event) noexcept {
  note([&] {
    stream.before.join(event.recorded);
    stream.before.subtract(host_);
  });
}

void Validator::recorded(Event& event, const Stream& stream) noexcept {
  Clock clock = clock_of(stream);
  note([&] { event.recorded = std::move(clock); });
}

void Validator::annotated(Stream& stream, const char* label) noexcept {
  note([&] { stream.annotation = label == nullptr ? "" : label; });
}

Clock Validator::clock_of(const Stream& stream) noexcept {
  Clock clock;
  note([&] {
    clock = stream.before;
    clock.see(stream.number, stream.commands);
  });
  return clock;
}

Clock Validator::clock_of(const Event& event) noexcept {
  Clock clock;
  note([&] { clock = event.recorded; });
  return clock;
}

void Validator::check_source(const Pending& pending) {
  if (pending.source.has_changed()) {
    const Place here = Place::here();
    reports_.add("source changed", pending.command->place, here, [&] {
      return "the host memory that " + text_of(*pending.command) +
             " copies from was changed before the copy was known to be complete, as is seen at " +
             here.text() + "; wait for the copy before you write to its source";
    });
  }
}

void Validator::completed(const Clock& clock, bool has_failed) noexcept {
  note([&] {
    host_.join(clock);
    std::erase_if(pending_, [&](const Pending& pending) {
      if (!is_complete(*pending.command)) {
        return false;
      }
      if (!has_failed) {
        check_source(pending);
      }
      return true;
    });
  });
}

void Validator::drop_sources(const void* start, std::uint64_t size_bytes) {
  const auto* const first = static_cast<const std::byte*>(start);
  std::erase_if(pending_, [&](const Pending& pending) {
    const auto* const source = static_cast<const std::byte*>(pending.source.start);
    if (source < first || source >= first + size_bytes) {
      return false;
    }
    check_source(pending);
    return true;
  });
}

void Validator::reached(Memory& memory, void* start) noexcept {
  note([&] {
    if (memory.host == nullptr) {
      memory.host = static_cast<const std::byte*>(start);
      pinned_[memory.host + memory.size_bytes] = &memory;
    }
    // The host may have written there.
    for (auto& [offset, buffer] : memory.buffers) {
      buffer.is_written = true;
    }
  });
}

void Validator::registered(Memory& memory, std::uint64_t size_bytes) noexcept {
  const Place place = Place::here();
  note([&] { memory.buffers[0] = {size_bytes, "", place, true}; });
}

void Validator::ends(Memory& memory) noexcept {
  const Place place = Place::here();
  note([&] {
    // Whatever is left was registered, and is one; a pool has released its buffers before.
    for (const Access& access : memory.accesses) {
      if (memory.buffers.empty() || is_complete(*access.command)) {
        continue;
      }
      reports_.add("released in use", access.command->place, place, [&] {
        const auto& [offset, buffer] = *memory.buffers.begin();
        return text_of(buffer) + " of registered memory was released at " + place.text() +
               ", while " + text_of(*access.command) + " may not be complete, which " +
               text_of(access, offset) + "; wait for it first";
      });
    }
    if (memory.host != nullptr) {
      drop_sources(memory.host, memory.size_bytes);
      pinned_.erase(memory.host + memory.size_bytes);
    }
  });
}

std::optional<Touched> Validator::find_pinned(const void* start, std::uint64_t size_bytes,
                                              Touch touch) noexcept {
  std::optional<Touched> found;
  note([&] {
    const auto* const first = static_cast<const std::byte*>(start);
    const auto entry = pinned_.upper_bound(first);
    if (entry != pinned_.end() && entry->second->host <= first &&
        size_bytes <= static_cast<std::uint64_t>(entry->first - first)) {
      Memory& memory = *entry->second;
      const auto offset = static_cast<std::uint64_t>(first - memory.host);
      if (find_buffer(memory, offset) != memory.buffers.end()) {
        found = Touched{&memory, {offset, size_bytes}, touch};
      }
    }
  });
  return found;
}

void Validator::allocated(const BufferPlace& place, collet_memory_kind_t kind,
                          const Tag* tag) noexcept {
  const Place here = Place::here();
  note([&] {
    // Of pinned and shared memory the program has the address.
    Layer::of(place.memory).buffers[place.offset_bytes] = {
        place.size_bytes, tag == nullptr ? "" : tag->name, here, kind != COLLET_MEMORY_DEVICE};
  });
}

void Validator::released(const BufferPlace& place, const UsedBlock& uses) noexcept {
  const Place here = Place::here();
  note([&] {
    Clock done;
    for (collet_plugin_stream_t* handle : uses.streams()) {
      const Stream& stream = Layer::of(handle);
      done.join(stream.before);
      done.see(stream.number, stream.commands);
    }
    Memory& memory = Layer::of(place.memory);
    const auto buffer = memory.buffers.find(place.offset_bytes);
    if (buffer == memory.buffers.end()) {
      return;
    }
    const Region all{place.offset_bytes, place.size_bytes};
    std::erase_if(memory.accesses, [&](const Access& access) {
      const Command& command = *access.command;
      if (!overlap(access.region, all)) {
        return false;
      }
      if (!is_complete(command) && !done.has_seen(command.stream, command.number)) {
        reports_.add("released in use", command.place, here, [&] {
          const std::string stream = stream_text(command.stream, command.stream_label);
          return text_of(buffer->second) + " was released at " + here.text() + ", while " +
                 text_of(command) + " may not be complete, which " +
                 text_of(access, buffer->first) + "; " + stream +
                 " was not declared: call collet_buffer_use_on() with it before the release";
        });
      }
      return true;
    });
    if (memory.host != nullptr) {
      drop_sources(memory.host + place.offset_bytes, place.size_bytes);
    }
    memory.buffers.erase(buffer);
  });
}

std::uint64_t Validator::hazards() noexcept {
  std::uint64_t count = 0;
  note([&] { count = reports_.count(); });
  return count;
}

}  // namespace collet::loader::validate

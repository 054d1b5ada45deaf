// SPDX-License-Identifier: Apache-2.0
// The model of COLLET_LAYERS=validate: what comes before what, and who touches which bytes.
//
// Each stream has a clock of what its next command comes after, and each event that of its record.
// The host has one for all its threads, since how they wait for each other is not to be seen: what
// one thread knows to be complete is so for all. So an order may be missed, and none is made up.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layers/buffer_watch.hpp"
#include "layers/validate/model.hpp"
#include "layers/validate/reports.hpp"

namespace collet::loader::validate {

// Bytes of a memory that a command touches.
struct Touched {
  Memory* memory = nullptr;
  Region region;
  Touch touch = Touch::kReads;
  bool is_open_ended = false;
};

// Pinned memory that a copy reads later.
struct Source {
  const void* start = nullptr;
  std::uint64_t size_bytes = 0;
  std::size_t hash = 0;

  // Of the bytes as they are now.
  static Source of(const void* start, std::uint64_t size_bytes) noexcept;
  [[nodiscard]] bool has_changed() const noexcept { return of(start, size_bytes).hash != hash; }
};

// None of these fails: where there is no memory to note something, it goes unseen.
class Validator final : public BufferWatch {
 public:
  // Never destroyed: objects may be released by static destructors.
  static Validator& instance();

  // A command was enqueued. `source` is what it reads later.
  void enqueued(Stream& stream, const std::string& what, std::span<const Touched> touched,
                const std::optional<Source>& source = std::nullopt) noexcept;
  void waited(Stream& stream, const Event& event) noexcept;
  void recorded(Event& event, const Stream& stream) noexcept;
  void annotated(Stream& stream, const char* label) noexcept;

  // What is complete when a stream, or an event, is.
  [[nodiscard]] Clock clock_of(const Stream& stream) noexcept;
  [[nodiscard]] Clock clock_of(const Event& event) noexcept;
  // The host knows that this is complete; or that nothing of it runs any more, since it failed.
  void completed(const Clock& clock, bool has_failed) noexcept;

  // The host reaches a memory by an address.
  void reached(Memory& memory, void* start) noexcept;
  // The program has registered memory of its own.
  void registered(Memory& memory, std::uint64_t size_bytes) noexcept;
  // A memory is about to end.
  void ends(Memory& memory) noexcept;
  // Where an address of pinned memory lies.
  [[nodiscard]] std::optional<Touched> find_pinned(const void* start, std::uint64_t size_bytes,
                                                   Touch touch) noexcept;

  void allocated(const BufferPlace& place, collet_memory_kind_t kind,
                 const Tag* tag) noexcept override;
  void released(const BufferPlace& place, const UsedBlock& uses) noexcept override;

  [[nodiscard]] std::uint64_t hazards() noexcept;

 private:
  // A copy that may not have read its source yet.
  struct Pending {
    std::shared_ptr<const Command> command;
    Source source;
  };

  template <class Body>
  void note(Body&& body) noexcept;

  [[nodiscard]] bool is_complete(const Command& command) const noexcept {
    return host_.has_seen(command.stream, command.number);
  }
  void check_order(const Stream& stream, const Memory& memory, const Access& access);
  void check_written(const Touched& touched, const Command& command);
  void add_access(Memory& memory, Access access);
  void check_source(const Pending& pending);
  void drop_sources(const void* start, std::uint64_t size_bytes);

  std::mutex mutex_;
  Clock host_;
  // By the address behind the end.
  std::map<const std::byte*, Memory*> pinned_;
  std::vector<Pending> pending_;
  Reports reports_;
};

}  // namespace collet::loader::validate

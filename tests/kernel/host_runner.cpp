// SPDX-License-Identifier: Apache-2.0
//
// The devices that run kernels of the host, with the kernels of both compilers.
#include <collet/collet.hpp>
#include <deque>

#include "guarded_bytes.hpp"
#include "runner.hpp"

namespace collet::test {
namespace {

// The arguments of one launch, on the device.
class Uploaded {
 public:
  Uploaded(Stream stream, std::initializer_list<KernelArgument> arguments)
      : stream_(std::move(stream)) {
    for (const KernelArgument& argument : arguments) {
      std::visit([this](const auto& value) { add(value); }, argument.value());
    }
  }

  [[nodiscard]] const std::vector<collet_argument_t>& packed() const { return packed_; }

  void download() {
    for (Place& place : places_) {
      stream_.read(place.buffer, place.bytes.all());
      place.bytes.deliver(place.target, place.before);
    }
  }

 private:
  struct Place {
    GuardedBytes bytes;
    Buffer buffer;
    std::byte* target;
    std::span<const std::byte> before;
  };

  void add(std::span<std::byte> bytes) { add_buffer(bytes, bytes.data()); }
  void add(std::span<const std::byte> bytes) { add_buffer(bytes, nullptr); }
  void add(const KernelArgument::Bytes& value) {
    packed_.push_back({COLLET_ARGUMENT_SCALAR, 0, nullptr, 0, value.data(), value.size()});
  }
  void add(const KernelArgument::Local& local) {
    packed_.push_back({COLLET_ARGUMENT_LOCAL, 0, nullptr, 0, nullptr, local.size_bytes});
  }
  void add_buffer(std::span<const std::byte> bytes, std::byte* target) {
    GuardedBytes guarded(bytes);
    Buffer buffer = stream_.upload(guarded.all());
    packed_.push_back({COLLET_ARGUMENT_BUFFER, 0, buffer.get(), GuardedBytes::kOffset, nullptr, 0});
    places_.push_back({std::move(guarded), std::move(buffer), target, bytes});
  }

  Stream stream_;
  std::deque<Place> places_;
  std::vector<collet_argument_t> packed_;
};

class HostRunner : public Runner {
 public:
  HostRunner(std::string backend, std::string compiler)
      : device_(Device::open(backend)),
        stream_(device_),
        backend_(std::move(backend)),
        compiler_(std::move(compiler)) {}

  [[nodiscard]] std::string name() const override { return backend_ + ", " + compiler_; }

  void launch(const std::string& file, const std::string& name, const KernelShape& shape,
              std::initializer_list<KernelArgument> arguments) override {
    const Kernel kernel =
        device_.load(HOST_KERNELS "/" + compiler_ + "/" + file + ".so").kernel(name);
    Uploaded uploaded(stream_, arguments);
    collet_launch_t launch{};
    std::copy(shape.groups.begin(), shape.groups.end(), launch.grid);
    std::copy(shape.items.begin(), shape.items.end(), launch.group);
    launch.argument_count = static_cast<std::uint32_t>(uploaded.packed().size());
    launch.arguments = uploaded.packed().data();
    check(collet_stream_launch(stream_.get(), kernel.get(), &launch));
    uploaded.download();
  }

 private:
  Device device_;
  Stream stream_;
  std::string backend_;
  std::string compiler_;
};

}  // namespace

const std::vector<std::unique_ptr<Runner>>& runners() {
  static const auto kAll = [] {
    std::vector<std::unique_ptr<Runner>> made;
    for (const char* backend : {"cpu", "sim"}) {
      for (const char* compiler : {"gcc", "clang"}) {
        made.push_back(std::make_unique<HostRunner>(backend, compiler));
      }
    }
    return made;
  }();
  return kAll;
}

}  // namespace collet::test

// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <collet/collet.hpp>
#include <cstdio>
#include <exception>
#include <functional>

#include "report_json.hpp"
#include "text.hpp"

namespace collet::cli {
namespace {

constexpr int kRepeats = 7;
// A repeat lasts at least this long, so that the clock and one synchronization do not matter.
constexpr double kLeastRepeat = 0.01;
constexpr int kMostCalls = 10000;
constexpr float kA = 0.5F;
constexpr float kB = 0.25F;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The time of one call: the median over repeats, each of as many calls as it takes to be long
// enough. `finish` waits for the device, and is called before the clock starts and before it stops.
double median_time(const std::function<void()>& call, const std::function<void()>& finish) {
  const auto repeat = [&](int calls) {
    finish();
    return seconds_of([&] {
      for (int i = 0; i < calls; ++i) {
        call();
      }
      finish();
    });
  };
  const double once = std::max(repeat(1), 1e-9);
  const int calls = static_cast<int>(std::clamp(kLeastRepeat / once, 1.0, double{kMostCalls}));
  std::vector<double> times;
  times.reserve(kRepeats);
  for (int i = 0; i < kRepeats; ++i) {
    times.push_back(repeat(calls) / calls);
  }
  std::sort(times.begin(), times.end());
  return times[kRepeats / 2];
}

class Matmul {
 public:
  Matmul(const Device& device, std::int64_t n)
      : stream_(device),
        size_(n),
        host_a_(static_cast<std::size_t>(n * n), kA),
        host_b_(host_a_.size(), kB),
        host_c_(host_a_.size()),
        a_(TensorView::allocate(stream_, COLLET_TYPE_F32, {n, n})),
        b_(TensorView::allocate(stream_, COLLET_TYPE_F32, {n, n})),
        c_(TensorView::allocate(stream_, COLLET_TYPE_F32, {n, n})) {}

  void measure(MatmulRow& row) {
    copy_in();
    stream_.synchronize();
    row.warm_up_s = seconds_of([&] {
      ops::matmul(stream_, c_, a_, b_);
      stream_.synchronize();
    });
    copy_out();
    check_result();
    const auto finish = [&] { stream_.synchronize(); };
    const Plan plan = ops::plan_matmul(stream_.device(), c_, a_, b_);
    row.compute_s = median_time([&] { plan.run(stream_, {c_, a_, b_}); }, finish);
    row.copy_in_s = median_time([&] { copy_in(); }, finish);
    row.copy_out_s = median_time([&] { copy_out(); }, finish);
  }

 private:
  void copy_in() const {
    stream_.write(a_.origin(), host_a_);
    stream_.write(b_.origin(), host_b_);
  }

  void copy_out() { stream_.read(c_.origin(), host_c_); }

  // All values are the same, and exact.
  void check_result() const {
    const float expected = kA * kB * static_cast<float>(size_);
    const bool right = std::all_of(host_c_.begin(), host_c_.end(), [&](float value) {
      return std::abs(value - expected) <= 1e-5F * expected;
    });
    if (!right) {
      throw std::runtime_error("its product is wrong, so its time means nothing");
    }
  }

  const Stream stream_;
  const std::int64_t size_;
  const std::vector<float> host_a_;
  const std::vector<float> host_b_;
  std::vector<float> host_c_;
  const TensorView a_;
  const TensorView b_;
  const TensorView c_;
};

MatmulRow run(const Device& device, std::int64_t size) {
  const collet_device_properties_t properties = device.properties();
  MatmulRow row;
  row.device = properties.id;
  row.name = properties.name;
  row.size = size;
  try {
    Matmul(device, size).measure(row);
  } catch (const std::exception& error) {
    row.fault = error.what();
  }
  return row;
}

struct Subject {
  std::string id;
  // Nothing: why it cannot be opened.
  std::optional<Device> device;
  std::string fault;
};

// Every device of every back end that can be used.
std::vector<Subject> all_subjects() {
  std::vector<Subject> subjects;
  for (const collet_backend_info_t& backend : backends()) {
    std::uint32_t count = 0;
    if (backend.state == COLLET_BACKEND_UNUSABLE ||
        collet_device_count(backend.name, &count) != COLLET_OK) {
      continue;
    }
    for (std::uint32_t index = 0; index < count; ++index) {
      Subject subject{std::string(backend.name) + ":" + std::to_string(index), {}, {}};
      try {
        subject.device = Device::open(subject.id);
      } catch (const std::exception& error) {
        subject.fault = error.what();
      }
      subjects.push_back(std::move(subject));
    }
  }
  return subjects;
}

std::string time_text(double seconds) {
  char text[32];
  if (seconds < 1e-3) {
    std::snprintf(text, sizeof text, "%.1f us", seconds * 1e6);
  } else if (seconds < 1) {
    std::snprintf(text, sizeof text, "%.2f ms", seconds * 1e3);
  } else {
    std::snprintf(text, sizeof text, "%.2f s", seconds);
  }
  return text;
}

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

}  // namespace

double MatmulRow::gflops() const {
  const auto n = static_cast<double>(size);
  return compute_s > 0 ? 2 * n * n * n / compute_s / 1e9 : 0;
}

double MatmulRow::intensity() const {
  const auto n = static_cast<double>(size);
  return 2 * n * n * n / (3 * n * n * sizeof(float));
}

std::vector<MatmulRow> bench_matmul(const std::vector<std::string>& selectors,
                                    const std::vector<std::int64_t>& sizes) {
  std::vector<Subject> subjects;
  for (const std::string& selector : selectors) {
    const Device device = Device::open(selector);
    subjects.push_back({device.id(), device, {}});
  }
  if (selectors.empty()) {
    subjects = all_subjects();
  }
  std::vector<MatmulRow> rows;
  for (const std::int64_t size : sizes) {
    for (const Subject& subject : subjects) {
      if (subject.device) {
        rows.push_back(run(*subject.device, size));
      } else {
        rows.push_back({subject.id, "", size, subject.fault});
      }
    }
  }
  return rows;
}

std::string matmul_text(const std::vector<MatmulRow>& rows) {
  std::vector<std::vector<std::string>> cells = {{"size", "device", "warm-up", "compute", "GFLOP/s",
                                                  "flop/byte", "copy in", "copy out",
                                                  "with copies"}};
  for (const MatmulRow& row : rows) {
    const std::string size = std::to_string(row.size);
    if (!row.fault.empty()) {
      cells.push_back({size, row.device, "-", "-", "-", "-", "-", "-", clean(row.fault)});
      continue;
    }
    const double whole = row.compute_s + row.copy_in_s + row.copy_out_s;
    cells.push_back({size, row.device, time_text(row.warm_up_s), time_text(row.compute_s),
                     number_text(row.gflops()), number_text(row.intensity()),
                     time_text(row.copy_in_s), time_text(row.copy_out_s), time_text(whole)});
  }
  return aligned(cells) + R"(
One product of two f32 matrices of size x size. The warm-up is the first product;
the rest are medians of 7 repeats, with the device synchronized around each.
copy in, copy out: the operands to the device and the result back, from and to
pageable memory. with copies: the whole of a product whose data are on the host.
)";
}

std::string matmul_json(const std::vector<MatmulRow>& rows) {
  Json list = Json::array();
  for (const MatmulRow& row : rows) {
    Json json = {
        {"device", row.device}, {"name", row.name}, {"size", row.size}, {"fault", row.fault}};
    if (row.fault.empty()) {
      json["warm_up_s"] = row.warm_up_s;
      json["compute_s"] = row.compute_s;
      json["gflops"] = row.gflops();
      json["flop_per_byte"] = row.intensity();
      json["copy_in_s"] = row.copy_in_s;
      json["copy_out_s"] = row.copy_out_s;
    }
    list.push_back(std::move(json));
  }
  return json_text(
      {{"operation", "matmul"}, {"type", "f32"}, {"repeats", kRepeats}, {"rows", std::move(list)}});
}

}  // namespace collet::cli

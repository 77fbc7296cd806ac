// dollop doctor: what this machine has, for the user and for reports of trouble.
#include <fmt/core.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "commands.h"
#include "grid/kernels.h"

namespace dollop {
namespace {

double gibibytes(double bytes) { return bytes / (1024.0 * 1024 * 1024); }

void examine() {
  fmt::print("dollop        {}\n", DOLLOP_VERSION);
#if defined(__clang__)
  fmt::print("compiler      clang {}.{}.{}\n", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  fmt::print("compiler      gcc {}.{}.{}\n", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  fmt::print("threads       {}\n", std::thread::hardware_concurrency());
  const char* wanted = std::getenv("DOLLOP_ISA");
  for (int k = 0; k < instruction_set_count(); ++k) {
    const InstructionSet& isa = instruction_set(k);
    const bool used = &isa == &best_instruction_set();
    fmt::print("{} {:9} {}{}\n", k ? "             " : "instructions ", isa.name,
               isa.supported() ? "available" : "not on this machine", used ? ", in use" : "");
  }
  if (wanted && !find_instruction_set(wanted))
    fmt::print("              DOLLOP_ISA={} is not available here and is ignored\n", wanted);
  const double page = double(sysconf(_SC_PAGE_SIZE));
  fmt::print("memory        {:.1f} GiB, {:.1f} GiB free\n", gibibytes(page * double(sysconf(_SC_PHYS_PAGES))),
             gibibytes(page * double(sysconf(_SC_AVPHYS_PAGES))));
  struct statvfs disk;
  if (statvfs(".", &disk) == 0)
    fmt::print("disk here     {:.1f} GiB free\n", gibibytes(double(disk.f_frsize) * double(disk.f_bavail)));
}

}  // namespace

void add_doctor(CLI::App& app, int& status) {
  app.add_subcommand("doctor", "show compiler, threads, instruction sets, memory and disk")
      ->callback([&status] {
        examine();
        status = exit_fine;
      });
}

}  // namespace dollop

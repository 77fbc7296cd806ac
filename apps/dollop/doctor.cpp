// dollop doctor: describes this machine, for the user and for bug reports.
#include <fmt/core.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "commands.h"
#include "grid/instruction_sets.h"
#include "grid/kernels.h"
#include "io/json.h"
#include "render/movie.h"
#include "view/page.h"

namespace dollop {
namespace {

double gibibytes(double bytes) { return bytes / (1024.0 * 1024 * 1024); }

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

struct Findings {
  unsigned threads = std::thread::hardware_concurrency();
  double memory = 0, memory_free = 0, disk_free = 0;  // [bytes]
  bool ffmpeg = false;
};

Findings examine() {
  Findings f;
  const double page = double(sysconf(_SC_PAGE_SIZE));
  f.memory = page * double(sysconf(_SC_PHYS_PAGES));
  f.memory_free = page * double(sysconf(_SC_AVPHYS_PAGES));
  struct statvfs disk;
  if (statvfs(".", &disk) == 0) f.disk_free = double(disk.f_frsize) * double(disk.f_bavail);
  f.ffmpeg = movies_possible();
  return f;
}

// empty if DOLLOP_ISA names none that can be used: simulations do not begin then
std::string set_in_use() {
  const char* wanted = std::getenv("DOLLOP_ISA");
  return wanted && !find_instruction_set(wanted) ? "" : best_instruction_set().name;
}

// "a","b"
std::string quoted(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + json_string(name);
  return list;
}

void print_text(const Findings& f) {
  fmt::print("dollop        {}\n", DOLLOP_VERSION);
  fmt::print("compiler      {}\n", compiler());
  fmt::print("threads       {}\n", f.threads);
  for (int k = 0; k < instruction_set_count(); ++k) {
    const InstructionSet& isa = instruction_set(k);
    fmt::print("{:13} {:9} {}{}\n", k ? "" : "instructions", isa.name,
               isa.supported() ? "available" : "not on this machine",
               isa.name == set_in_use() ? ", in use" : "");
  }
  for (const std::string& name : instruction_sets_left_out())
    fmt::print(
        "{:13} {:9} this processor has it, the program was built without it (./dollop build --isa all)\n", "",
        name);
  if (set_in_use().empty())
    fmt::print("{:13} DOLLOP_ISA: {}\n", "", instruction_set_fault(std::getenv("DOLLOP_ISA")));
  fmt::print("memory        {:.1f} GiB, {:.1f} GiB free\n", gibibytes(f.memory), gibibytes(f.memory_free));
  fmt::print("disk here     {:.1f} GiB free\n", gibibytes(f.disk_free));
  fmt::print("movies        {}\n",
             f.ffmpeg ? "ffmpeg is there" : "ffmpeg is missing: previews stay single pictures");
  fmt::print("viewer        {}\n",
             page_files().empty() ? "not built: Node.js or npm was missing" : "built in");
}

void print_json(const Findings& f) {
  std::vector<std::string> built, available;
  for (int k = 0; k < instruction_set_count(); ++k) {
    built.push_back(instruction_set(k).name);
    if (instruction_set(k).supported()) available.push_back(instruction_set(k).name);
  }
  const std::string used = set_in_use();
  fmt::print(
      "{{\"version\":{},\"compiler\":{},\"threads\":{},\"instruction_sets\":[{}],\"instruction_set\":{},"
      "\"instruction_sets_built\":[{}],\"instruction_sets_left_out\":[{}],"
      "\"memory_bytes\":{:.0f},\"memory_free_bytes\":{:.0f},\"disk_free_bytes\":{:.0f},\"ffmpeg\":{},"
      "\"viewer\":{}}}\n",
      json_string(DOLLOP_VERSION), json_string(compiler()), f.threads, quoted(available),
      used.empty() ? "null" : json_string(used), quoted(built), quoted(instruction_sets_left_out()), f.memory,
      f.memory_free, f.disk_free, f.ffmpeg, !page_files().empty());
}

}  // namespace

void add_doctor(Command app, int& status) {
  Command doctor = app.add_command("doctor", "show compiler, threads, instruction sets, memory and disk");
  auto json = std::make_shared<bool>(false);
  doctor.add_flag("--json", *json, "print one JSON object");
  doctor.footer("Example:\n  dollop doctor");
  doctor.callback([json, &status] {
    *json ? print_json(examine()) : print_text(examine());
    status = exit_fine;
  });
}

}  // namespace dollop

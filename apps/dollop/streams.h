// Standard output and standard error that may be closed, full or broken: nothing that is printed there throws, and a run
// goes on when nobody listens.
#pragma once

namespace dollop {

// Call first of all. A descriptor below 3 that is closed would become that of the next file, and be printed into. SIGPIPE is
// caught, so that a broken pipe is an error like others; programs that are started get its default again.
void prepare_streams();

// Call last of all. Returns the exit status: `status`, or exit_output_lost in place of success if something that was
// printed to standard output got lost.
int finish_streams(int status);

}  // namespace dollop

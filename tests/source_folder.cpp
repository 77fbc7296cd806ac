#include "source_folder.h"

std::filesystem::path source_folder() { return DOLLOP_SOURCE_DIR; }

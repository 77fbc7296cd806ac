// Where the source tree is. Only source_folder.cpp is compiled with the path: so the objects of all other tests are the same in
// every checkout, and ccache finds them.
#pragma once

#include <filesystem>

std::filesystem::path source_folder();

# toml++: scene files. Debian: libtomlplusplus-dev. Gives tomlplusplus::tomlplusplus.
find_package(tomlplusplus 3 REQUIRED)

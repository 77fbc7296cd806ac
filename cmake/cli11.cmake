# CLI11: the command line. Debian: libcli11-dev. Gives CLI11::CLI11.
find_package(CLI11 2 REQUIRED)

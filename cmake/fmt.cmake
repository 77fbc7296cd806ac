# fmt: formatting. Debian: libfmt-dev. Gives fmt::fmt.
find_package(fmt 9 REQUIRED)

# muParser: expressions of time. Debian: libmuparser-dev. Gives muparser::muparser.
find_package(muparser 2.3 REQUIRED)

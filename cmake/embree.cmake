# Embree: rays for pictures. Debian: libembree-dev. Gives embree.
find_package(embree 3 REQUIRED)

# libpng: pictures. Debian: libpng-dev. Gives PNG::PNG.
find_package(PNG 1.6 REQUIRED)

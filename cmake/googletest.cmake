# GoogleTest: tests. Debian: libgtest-dev. Gives GTest::gtest and GTest::gtest_main.
find_package(GTest 1.12 REQUIRED CONFIG)
include(GoogleTest)  # gtest_discover_tests

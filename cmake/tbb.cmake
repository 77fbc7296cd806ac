# oneTBB: threads. Debian: libtbb-dev. Gives TBB::tbb.
find_package(TBB 2021 REQUIRED COMPONENTS tbb)

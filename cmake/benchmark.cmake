# Google Benchmark: micro-benchmarks, optional. Debian: libbenchmark-dev. Gives benchmark::benchmark.
find_package(benchmark 1.7 QUIET CONFIG)

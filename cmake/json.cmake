# nlohmann/json: JSON. Debian: nlohmann-json3-dev. Gives nlohmann_json::nlohmann_json.
find_package(nlohmann_json 3.11 REQUIRED)

# assimp: meshes of every common format. Debian: libassimp-dev. Gives assimp::assimp.
find_package(assimp 5 REQUIRED)

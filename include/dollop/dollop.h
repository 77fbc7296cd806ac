// All of the public interface: scenes, their files, simulations and runs.
#pragma once

#include <dollop/colliders.h>
#include <dollop/numerics.h>
#include <dollop/run.h>
#include <dollop/scene.h>
#include <dollop/scene_file.h>
#include <dollop/shapes.h>
#include <dollop/simulation.h>

// All of Dollop's public interface.
#pragma once

#include <dollop/colliders.h>
#include <dollop/numerics.h>
#include <dollop/scene.h>
#include <dollop/shapes.h>
#include <dollop/simulation.h>

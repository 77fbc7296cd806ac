// Units of quantities and metrics, all SI; docs/output.md defines them.

const units = {
  position: "m", velocity: "m/s", speed: "m/s", mass: "kg", volume: "m³", stress: "Pa", pressure: "Pa", "equivalent stress": "Pa",
  time: "s", dt_min: "s", dt_max: "s", wall_s: "s", particle_steps_per_s: "1/s", peak_memory_bytes: "B",
  momentum: "kg m/s", angular_momentum: "kg m²/s", resample_angular_momentum: "kg m²/s",
  kinetic_energy: "J", elastic_energy: "J", affine_energy: "J", resample_energy: "J",
  center_of_mass: "m", bounds_min: "m", bounds_max: "m", longest_thread: "m", max_speed: "m/s", velocity_noise: "m/s", removed_mass: "kg",
  density_mean: "kg/m³", density_min: "kg/m³", density_max: "kg/m³", voids: "m³", flow: "kg/s", torque: "N m",
};

// the unit of a number by its name, such as "speed", "momentum.x" or "gauges.below.mass"; empty if it has none
export function unitOf(name) {
  const words = name.split(".");
  const [group] = words;
  if (group === "gauges" || group === "contact_forces") words.splice(0, 2);
  if (group === "contact_forces" && words[0] !== "torque") return "N";
  return units[words[0]] ?? "";
}

export const withUnit = (text, name) => (unitOf(name) ? `${text} ${unitOf(name)}` : text);
export const titleWithUnit = (name) => (unitOf(name) ? `${name} [${unitOf(name)}]` : name);

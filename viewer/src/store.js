// The state of the page: values that any part may set, and listeners to their changes.

export function createStore(initial) {
  const values = { ...initial };
  const listeners = [];
  return {
    values,
    set(changes) {
      const changed = Object.keys(changes).filter((key) => values[key] !== changes[key]);
      if (changed.length === 0) return;
      Object.assign(values, changes);
      for (const { keys, call } of listeners) if (keys.some((key) => changed.includes(key))) call(values);
    },
    // calls immediately, and whenever one of the keys has changed
    on(keys, call) {
      listeners.push({ keys, call });
      call(values);
    },
  };
}

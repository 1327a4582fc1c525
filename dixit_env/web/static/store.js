// The page's state in one place, and the only way to change it.

/** A store: `get()`, `set(changes)` (shallow), `watch(listener)`; listeners run once per task, after the last change. */
export function createStore(initial) {
  let state = initial;
  let pending = false;
  const listeners = [];

  function set(changes) {
    state = { ...state, ...(typeof changes === "function" ? changes(state) : changes) };
    if (pending) return;
    pending = true;
    queueMicrotask(() => {
      pending = false;
      for (const listener of listeners) listener(state);
    });
  }

  return { get: () => state, set, watch: (listener) => listeners.push(listener) };
}

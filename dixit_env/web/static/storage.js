// What the browser keeps for this page: for good (`kept`), or for this tab (`tab`). A browser may be set to keep nothing;
// then things last as long as the visit.

function storage(name) {
  const visit = new Map();
  let store = null;
  try {
    store = window[name];
    store.setItem("dixit", "");
    store.removeItem("dixit");
  } catch {
    store = null;
  }
  return {
    lasts: store !== null,
    get: (key) => visit.get(key) ?? store?.getItem(key) ?? null,
    set(key, value) {
      try {
        store.setItem(key, value);
        visit.delete(key);
      } catch {
        visit.set(key, value); // nothing is kept, or the space is full
      }
    },
  };
}

export const kept = storage("localStorage");
export const tab = storage("sessionStorage");

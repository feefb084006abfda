// What the browser keeps for the page. Where it keeps nothing, because storage is blocked or full, the page itself
// remembers it until it is closed.
export function storage(open) {
  const memory = new Map();
  return {
    get(name) {
      if (memory.has(name)) return memory.get(name);
      try { return open().getItem(name); } catch { return null; }
    },
    set(name, value) {
      try {
        open().setItem(name, value);
        memory.delete(name);
      } catch { memory.set(name, String(value)); }
    },
    remove(name) {
      memory.delete(name);
      try { open().removeItem(name); } catch { /* nothing was kept */ }
    },
  };
}

/** Kept for this browser: theme, time zone, filters. */
export const browser = storage(() => localStorage);

// One piece of work at a time; of what was asked meanwhile, only the latest is done.

/**
 * @template T
 * @param {(wanted: T) => Promise<void>} work
 * @returns {(wanted: T) => Promise<void>} resolves when nothing is waiting any more
 */
export function latestOnly(work) {
  let busy = null, waiting = null;
  async function go() {
    while (waiting) {
      const { wanted } = waiting;
      waiting = null;
      try { await work(wanted); } catch (error) { if (!waiting) throw error; }
    }
  }
  return (wanted) => {
    waiting = { wanted };
    if (!busy) busy = go().finally(() => { busy = null; });
    return busy;
  };
}

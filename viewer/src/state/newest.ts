import { Stale } from "../client.ts";

/** Runs one at a time and keeps only the newest wish. */
export function newest<T>(work: (wish: T) => Promise<void>): (wish: T) => void {
  let next: { wish: T } | null = null;
  let running = false;
  return (wish) => {
    next = { wish };
    if (running) return;
    running = true;
    void (async () => {
      while (next) {
        const { wish: mine } = next as { wish: T };
        next = null;
        try {
          await work(mine);
        } catch (error) {
          if (!(error instanceof Stale)) console.warn(error);
        }
      }
      running = false;
    })();
  };
}

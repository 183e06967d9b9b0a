const MAX_PAUSE_MS = 10_000

/** How long to wait before another try: twice as long each time, up to 10 s, and a quarter more or less by chance, so that not all that failed together come together. @param tries before it, 0 at first */
export const growingPause = (firstMs: number, tries: number): number =>
  Math.min(MAX_PAUSE_MS, firstMs * 2 ** tries) * (0.75 + Math.random() / 2)

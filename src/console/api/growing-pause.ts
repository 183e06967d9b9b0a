const MAX_PAUSE_MS = 10_000

/** How long to wait before another try: for twice as long each time, 10 s at most, and by chance not as long as others that failed together. @param tries before it, 0 at first */
export const growingPause = (firstMs: number, tries: number): number =>
  Math.min(MAX_PAUSE_MS, firstMs * 2 ** tries) * (0.75 + Math.random() / 2)

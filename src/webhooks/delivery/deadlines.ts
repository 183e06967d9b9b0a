const TICK_MS = 50

export interface Watched {
  /**
   * Runs every 50 ms.
   * @param now milliseconds of a monotonic clock
   */
  check(now: number): void
}

export interface Deadlines {
  watch(watched: Watched): void
  forget(watched: Watched): void
}

export function openDeadlines(): Deadlines {
  const all = new Set<Watched>()
  let timer: NodeJS.Timeout | undefined
  const tick = (): void => {
    const now = performance.now()
    for (const watched of all) watched.check(now)
    if (all.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    watch: (watched) => {
      all.add(watched)
      timer ??= setInterval(tick, TICK_MS)
    },
    forget: (watched) => all.delete(watched),
  }
}

/** How late the end of something's time may be noticed. */
const TICK_MS = 50

/** Something that must not take too long. */
export interface Watched {
  /** Asked every 50 ms. @param now milliseconds of a clock that never goes back */
  check(now: number): void
}

/** One timer for all attempts of a process: a timer and a signal for each of thousands a second would cost more than sending them. */
export interface Deadlines {
  watch(watched: Watched): void
  forget(watched: Watched): void
}

/** One timer for the time limits of all attempts. */
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

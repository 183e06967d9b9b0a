import { setTimeout as pause } from 'node:timers/promises'

/** Polls with a growing interval until the condition gives something truthy; throws after the deadline. */
export const until = async <T>(condition: () => T | Promise<T>, deadlineMs: number, what: string) => {
  const deadline = performance.now() + deadlineMs
  for (let wait = 10; ; wait = Math.min(wait * 1.5, 250)) {
    const value = await condition()
    if (value) return value
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMs} ms for ${what}`)
    await pause(wait)
  }
}

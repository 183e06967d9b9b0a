import { describe, expect, test } from 'vitest'
import { Semaphore } from '../../src/concurrency/semaphore.ts'
import type { Speech, SpeechRequest } from '../../src/engines/engine.ts'
import { leastLoaded, type Member } from '../../src/engines/least-loaded.ts'
import { CircuitBreaker } from '../../src/engines/retry.ts'

const VOICE = { slug: 'a', kind: 'preset', engineVoice: 'v', referenceAudio: null, referenceText: null } as const
const CHECK_MS = 5
const SPEECH = {} as Speech

const server = (limit: number): Member['server'] => ({
  slots: new Semaphore(() => limit),
  breaker: new CircuitBreaker(),
  pace: undefined,
})
const request = (signal = new AbortController().signal): SpeechRequest => {
  return { text: 'Hello.', voice: VOICE, extra: {}, expectedSeconds: 0.01, signal }
}
const hanging = (limit: number): Member & { asked: number; left: number } => {
  const state = server(limit)
  const member = {
    asked: 0,
    left: 0,
    server: state,
    ask: ({ signal }: SpeechRequest) =>
      state.breaker.run(() => {
        member.asked++
        return new Promise<Speech>((_, reject) =>
          signal.addEventListener('abort', () => {
            member.left++
            reject(signal.reason)
          }),
        )
      }),
  }
  return member
}
const answering = (limit: number): Member => ({ server: server(limit), ask: async () => SPEECH })

describe('a server that does not answer', () => {
  test('loses its requests to one that is free, and then its place', async () => {
    const [silent, good] = [hanging(2), answering(2)]
    const speak = leastLoaded([silent, good], CHECK_MS)
    for (let n = 0; n < 40 && silent.server.breaker.admits; n++)
      // Each job has an engine of its own, which knows nothing of the others' failures.
      expect(await leastLoaded([silent, good], CHECK_MS)(request())).toBe(SPEECH)
    expect(silent.server.breaker.isOpen).toBe(true)
    expect([silent.asked, silent.left]).toEqual([5, 5])
    expect(await speak(request())).toBe(SPEECH)
    expect(silent.asked).toBe(5)
  })

  test('keeps them while no other is free, and one that is given up by its caller leaves', async () => {
    const [silent, other] = [hanging(1), hanging(1)]
    const speak = leastLoaded([silent, other], CHECK_MS)
    const caller = new AbortController()
    const both = [speak(request(caller.signal)), speak(request(caller.signal))]
    const ends = Promise.allSettled(both)
    await new Promise((resolve) => setTimeout(resolve, 60 * CHECK_MS))
    expect([silent.asked, other.asked, silent.left + other.left]).toEqual([1, 1, 0])
    caller.abort(new Error('gone'))
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect([silent.server.slots.inUse, other.server.slots.inUse]).toEqual([0, 0])
  })
})

import { describe, expect, test } from 'vitest'
import {
  EngineError,
  type EngineErrorCode,
  FailedAttempt,
  type SpeechEngine,
  type SpeechRequest,
} from '../../src/engines/engine.ts'
import { CircuitBreaker, withRetries } from '../../src/engines/retry.ts'

const voice = { slug: 'a', kind: 'preset', engineVoice: 'A', referenceAudio: null, referenceText: null } as const
const request = (changes: Partial<SpeechRequest> = {}): SpeechRequest => ({
  text: 'Hello.',
  voice,
  extra: {},
  signal: new AbortController().signal,
  ...changes,
})

/** Fails with each of the errors in turn, then speaks. */
function failing(...errors: EngineError[]) {
  const times: number[] = []
  const engine: SpeechEngine = {
    slots: 1,
    deterministic: false,
    voices: async () => null,
    speak: async () => {
      times.push(performance.now())
      const error = errors.shift()
      if (error !== undefined) throw error
      return { audio: { sampleRate: 8000, channels: 1, samples: new Int16Array(1) } }
    },
  }
  return { engine, times }
}
const error = (code: EngineErrorCode, retryAfterMs?: number) =>
  new EngineError(code, 'no', retryAfterMs === undefined ? {} : { retryAfterMs })
const retrying = (engine: SpeechEngine, retryBudgetMs = 10_000) => withRetries(engine, { retryBudgetMs })

describe('retries', () => {
  test.each(['PROVIDER_BUSY', 'PROVIDER_UNAVAILABLE'] as const)('%s is asked again, each time later', async (code) => {
    const { engine, times } = failing(error(code), error(code))
    await retrying(engine).speak(request())
    expect(times).toHaveLength(3)
    const [first, second] = [times[1]! - times[0]!, times[2]! - times[1]!]
    expect(first).toBeGreaterThanOrEqual(99)
    expect(second).toBeGreaterThanOrEqual(199)
  })

  test.each(['RENDER_FAILED', 'INTERNAL_ERROR'] as const)('%s is final', async (code) => {
    const { engine, times } = failing(error(code))
    await expect(retrying(engine).speak(request())).rejects.toThrow('no')
    expect(times).toHaveLength(1)
  })

  test('Retry-After is honoured', async () => {
    const { engine, times } = failing(error('PROVIDER_BUSY', 600))
    await retrying(engine).speak(request())
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(599)
  })

  test('Retry-After is honoured beyond the retry budget, up to the deadline of the job', async () => {
    const { engine, times } = failing(error('PROVIDER_BUSY', 400))
    await retrying(engine, 50).speak(request({ deadline: performance.now() + 20_000 }))
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(399)
    const silent = failing(error('PROVIDER_BUSY'), error('PROVIDER_BUSY'), error('PROVIDER_BUSY'))
    await expect(retrying(silent.engine, 50).speak(request({ deadline: 1e12 }))).rejects.toThrow('no')
  })

  test('a text that a living server could not speak is tried twice more, and the server does not count as down', async () => {
    const breaker = new CircuitBreaker()
    const repeating = (engine: SpeechEngine) => {
      const guarded = { ...engine, speak: (asked: SpeechRequest) => breaker.run(() => engine.speak(asked)) }
      return withRetries(guarded, { retryBudgetMs: 60_000, random: () => 0 })
    }
    for (let text = 0; text < 3; text++) {
      const { engine, times } = failing(...Array.from({ length: 10 }, () => new FailedAttempt('failed here')))
      await expect(repeating(engine).speak(request())).rejects.toThrow('failed here')
      expect(times).toHaveLength(3)
    }
    const { engine, times } = failing(new FailedAttempt('failed here'), new FailedAttempt('failed here'))
    await repeating(engine).speak(request())
    expect(times).toHaveLength(3)
  })

  test('a server that does not come back is asked until the retry budget ends, and at its end', async () => {
    const { engine, times } = failing(...Array.from({ length: 20 }, () => error('PROVIDER_UNAVAILABLE')))
    const started = performance.now()
    await expect(retrying(engine, 700).speak(request())).rejects.toThrow('no')
    expect(performance.now() - started).toBeGreaterThanOrEqual(699)
    expect(times.at(-1)! - started).toBeGreaterThanOrEqual(699)
  })

  test('what would come after the deadline or after the retry budget ends is not waited for', async () => {
    const started = performance.now()
    const busy = () => failing(error('PROVIDER_BUSY', 60_000))
    await expect(retrying(busy().engine).speak(request())).rejects.toThrow('no')
    await expect(retrying(busy().engine, 1e9).speak(request({ deadline: started + 50_000 }))).rejects.toThrow('no')
    expect(performance.now() - started).toBeLessThan(5000)
  })

  test('an abort ends the waiting', async () => {
    const controller = new AbortController()
    const { engine, times } = failing(error('PROVIDER_BUSY', 5000))
    const outcome = retrying(engine).speak(request({ signal: controller.signal }))
    setImmediate(() => controller.abort())
    await expect(outcome).rejects.toThrow()
    expect(times).toHaveLength(1)
  })
})

describe('the circuit breaker', () => {
  let now = 0
  const clock = () => now
  const ask = (breaker: CircuitBreaker, outcome?: EngineErrorCode) => {
    let asked = false
    const result = breaker.run(async () => {
      asked = true
      if (outcome !== undefined) throw error(outcome)
    })
    return result.then(
      () => ({ asked, retryAfterMs: undefined }),
      (thrown: EngineError) => ({ asked, retryAfterMs: thrown.retryAfterMs }),
    )
  }
  const broken = async () => {
    const breaker = new CircuitBreaker(clock)
    for (let n = 0; n < 5; n++) expect((await ask(breaker, 'PROVIDER_UNAVAILABLE')).asked).toBe(true)
    return breaker
  }

  test('after five failures in a row the server is left alone for a second', async () => {
    const breaker = await broken()
    expect(await ask(breaker)).toEqual({ asked: false, retryAfterMs: 1000 })
    now += 999
    expect((await ask(breaker)).asked).toBe(false)
    now += 1
    expect((await ask(breaker)).asked).toBe(true)
    expect((await ask(breaker, 'PROVIDER_UNAVAILABLE')).asked).toBe(true)
    expect((await ask(breaker)).asked).toBe(true)
  })

  test('one request at a time finds out, and each failure doubles the pause, up to 10 s', async () => {
    const breaker = await broken()
    for (const pauseMs of [2000, 4000, 8000, 10_000, 10_000]) {
      now += 10_000
      const probe = ask(breaker, 'PROVIDER_UNAVAILABLE')
      expect((await ask(breaker)).asked).toBe(false)
      expect((await probe).asked).toBe(true)
      expect((await ask(breaker)).retryAfterMs).toBe(pauseMs)
    }
  })

  test('a request that finds out for longer than a second keeps no other from asking', async () => {
    const breaker = await broken()
    now += 1000
    const answer = Promise.withResolvers<void>()
    const probe = breaker.run(() => answer.promise)
    expect((await ask(breaker)).asked).toBe(false)
    now += 1000
    expect((await ask(breaker)).asked).toBe(true)
    answer.resolve()
    await probe
  })

  test('a request that waits for a server that counts as down asks as soon as another one has reached it', async () => {
    const breaker = await broken()
    for (let probe = 0; probe < 4; probe++) {
      now += 10_000
      await ask(breaker, 'PROVIDER_UNAVAILABLE')
    }
    const { engine, times } = failing()
    const guarded = { ...engine, speak: (asked: SpeechRequest) => breaker.run(() => engine.speak(asked)) }
    const spoken = Promise.all([1, 2, 3].map(() => retrying(guarded, 60_000).speak(request())))
    now += 10_000
    await ask(breaker)
    const found = performance.now()
    await spoken
    // By now the pause is ten seconds.
    for (const at of times) expect(at - found).toBeLessThan(8000)
  })

  test('an answer in between, a rejection included, starts the count again', async () => {
    const breaker = new CircuitBreaker(clock)
    for (let n = 0; n < 20; n++) {
      const outcome = n % 5 === 4 ? 'RENDER_FAILED' : 'PROVIDER_UNAVAILABLE'
      expect((await ask(breaker, outcome)).asked).toBe(true)
    }
  })
})

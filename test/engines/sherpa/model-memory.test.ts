import { describe, expect, test } from 'vitest'
import { ModelMemory, type Seat, usualBound } from '../../../src/engines/sherpa/model-memory.ts'

const LONG_MS = 60_000
const NEVER = new AbortController().signal
const [ENGLISH, GERMAN, FRENCH] = [{ name: 'English' }, { name: 'German' }, { name: 'French' }]

/** Ends once `gone` is called, as a killed process does a while later. */
class Stub {
  readonly #ended = Promise.withResolvers<void>()
  readonly ended = this.#ended.promise
  isKilled = false
  kill = () => {
    this.isKilled = true
  }
  gone = async () => {
    this.#ended.resolve()
    await turn()
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Takes a seat for a new process that holds as much as was asked for. */
async function seated(
  memory: ModelMemory<Stub>,
  owner: object,
  bytes: number,
): Promise<Seat<Stub> & { process: Stub }> {
  const seat = await memory.take(owner, bytes, NEVER)
  if (seat.process === undefined) memory.start(seat, new Stub())
  return seat as Seat<Stub> & { process: Stub }
}

const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  await turn()
  return settled
}

describe('the memory of models', () => {
  test('is given to as many as fit, and an idle process of the same model is used again', async () => {
    const memory = new ModelMemory<Stub>(100)
    const one = await seated(memory, ENGLISH, 60)
    const other = await seated(memory, GERMAN, 40)
    memory.giveBack(one, LONG_MS)
    expect(await seated(memory, ENGLISH, 60)).toBe(one)
    expect([one.process.isKilled, other.process.isKilled]).toEqual([false, false])
    memory.close()
  })

  test('is taken from the process that was used least recently, and given on once that has ended', async () => {
    const memory = new ModelMemory<Stub>(100)
    const [one, other] = [await seated(memory, ENGLISH, 50), await seated(memory, GERMAN, 50)]
    memory.giveBack(one, LONG_MS)
    memory.giveBack(other, LONG_MS)
    memory.giveBack(await seated(memory, ENGLISH, 50), LONG_MS)
    const third = memory.take(FRENCH, 50, NEVER)
    expect(await isSettled(third)).toBe(false)
    expect([one.process.isKilled, other.process.isKilled]).toEqual([false, true])
    await other.process.gone()
    expect(await isSettled(third)).toBe(true)
    memory.close()
  })

  test('is never taken from a process that speaks: others wait, in turn', async () => {
    const memory = new ModelMemory<Stub>(100)
    const one = await seated(memory, ENGLISH, 80)
    const waiting = [memory.take(GERMAN, 50, NEVER), memory.take(FRENCH, 10, NEVER), memory.take(ENGLISH, 80, NEVER)]
    expect(await Promise.all(waiting.map(isSettled))).toEqual([false, false, false])
    expect(one.process.isKilled).toBe(false)
    memory.giveBack(one, LONG_MS)
    // German is first, although the next text of English could go on at once.
    expect(one.process.isKilled).toBe(true)
    await one.process.gone()
    expect(await Promise.all(waiting.map(isSettled))).toEqual([true, true, false])
    memory.close()
  })

  test('lets the next one wait no longer for one that has given up, and frees what a dead process held', async () => {
    const memory = new ModelMemory<Stub>(100)
    const one = await seated(memory, ENGLISH, 100)
    const stop = new AbortController()
    const given = memory.take(GERMAN, 50, stop.signal)
    const next = memory.take(FRENCH, 50, NEVER)
    stop.abort(new Error('cancelled'))
    await expect(given).rejects.toThrow('cancelled')
    expect(await isSettled(next)).toBe(false)
    await one.process.gone()
    expect(await isSettled(next)).toBe(true)
    memory.close()
  })

  test('counts what was measured: a process that has grown ends once it is idle', async () => {
    const memory = new ModelMemory<Stub>(100)
    const [one, other] = [await seated(memory, ENGLISH, 40), await seated(memory, GERMAN, 40)]
    expect(memory.measure(one, 50)).toBe(true)
    expect(memory.measure(one, 90)).toBe(false)
    expect([one.process.isKilled, other.process.isKilled]).toEqual([false, false])
    memory.giveBack(other, LONG_MS)
    expect([one.process.isKilled, other.process.isKilled]).toEqual([false, true])
    await other.process.gone()
    memory.giveBack(one, LONG_MS)
    expect(one.process.isKilled).toBe(false)
    memory.close()
  })

  test('keeps a model that has loaded larger than expected if an idle one can make room', async () => {
    const memory = new ModelMemory<Stub>(40)
    const idle = await seated(memory, ENGLISH, 20)
    memory.giveBack(idle, LONG_MS)
    const loaded = await seated(memory, GERMAN, 10)
    expect(memory.measure(loaded, 30)).toBe(true)
    expect([idle.process.isKilled, loaded.process.isKilled]).toEqual([true, false])
    memory.close()
  })

  test.each([
    ['half of the machine', 0, 8e9, 4e9],
    ['half of the container', 2e9, 8e9, 1e9],
    ['half of the machine, if the container may have more', 1e13, 8e9, 4e9],
  ])('is by itself %s', (_what, constrained, total, bound) => {
    expect(usualBound(constrained, total)).toBe(bound)
  })
})

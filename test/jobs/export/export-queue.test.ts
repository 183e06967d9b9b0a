import { describe, expect, test } from 'vitest'
import { type ExportPass, openExportQueue } from '../../../src/jobs/export/export-queue.ts'

/** Enters for each account in turn; who got in is told in its order. */
function queueUp(lane = openExportQueue()) {
  const entered: string[] = []
  const passes = new Map<string, ExportPass>()
  const enter = async (name: string, gone?: AbortSignal) => {
    const pass = await lane.enter(name[0] as string, gone)
    entered.push(name)
    passes.set(name, pass)
  }
  const doneReading = async (name: string) => {
    passes.get(name)?.doneReading()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { lane, entered, enter, doneReading }
}

describe('the export lane', () => {
  test('lets two read at a time, and accounts in turn however many of one wait', async () => {
    const { entered, enter, doneReading } = queueUp()
    const all = Promise.all(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'].map((name) => enter(name)))
    await doneReading('none')
    expect(entered).toEqual(['a1', 'a2'])
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']) await doneReading(name)
    await all
    expect(entered).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5'])
  })

  test('gives the place of one that goes away to the next at once', async () => {
    const { lane, entered, enter, doneReading } = queueUp()
    const gone = new AbortController()
    for (const name of ['a1', 'a2']) await enter(name)
    const waiting = Array.from({ length: 10 }, () => lane.enter('a', gone.signal))
    await expect(lane.enter('a')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    const last = enter('b1')
    gone.abort(new Error('away'))
    await Promise.all(waiting.map((one) => expect(one).rejects.toThrow('away')))
    await expect(lane.enter('a', gone.signal)).rejects.toThrow('away')
    const again = Array.from({ length: 10 }, (_nothing, n) => enter(`a${n + 3}`))
    await expect(lane.enter('a')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await doneReading('a1')
    expect(entered).toEqual(['a1', 'a2', 'b1'])
    for (const name of ['a2', 'b1', ...Array.from({ length: 10 }, (_nothing, n) => `a${n + 3}`)])
      await doneReading(name)
    await Promise.all([last, ...again])
  })

  test('has place for the others when one account has taken all it may', async () => {
    const { lane } = queueUp()
    const passes: ExportPass[] = []
    for (let n = 0; n < 12; n++) {
      const pass = await lane.enter('greedy')
      pass.doneReading()
      passes.push(pass)
    }
    await expect(lane.enter('greedy')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    const other = await lane.enter('other')
    for (const pass of [...passes, other]) pass.leave()
    expect(await lane.enter('greedy')).toBeDefined()
  })
})

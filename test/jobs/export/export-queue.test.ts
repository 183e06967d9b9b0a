import { describe, expect, test } from 'vitest'
import { ExportQueue, type ExportTicket } from '../../../src/jobs/export/export-queue.ts'

/** Enters one export after the other; `entered` holds those that may read, in their order. */
function queueUp(queue = new ExportQueue()) {
  const entered: string[] = []
  const tickets = new Map<string, ExportTicket>()
  const enter = async (name: string, gone?: AbortSignal) => {
    const ticket = await queue.enter(name[0] as string, gone)
    entered.push(name)
    tickets.set(name, ticket)
  }
  const doneReading = async (name: string) => {
    tickets.get(name)?.doneReading()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { queue, entered, enter, doneReading }
}

describe('the export queue', () => {
  test('lets three read at a time, two of an account at the most, and accounts by turns however many of one wait', async () => {
    const { entered, enter, doneReading } = queueUp()
    const all = Promise.all(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'].map((name) => enter(name)))
    await doneReading('none')
    expect(entered).toEqual(['a1', 'a2', 'b1'])
    for (const name of ['b1', 'a1', 'b2', 'a2', 'a3', 'c1', 'a4', 'a5']) await doneReading(name)
    await all
    expect(entered).toEqual(['a1', 'a2', 'b1', 'b2', 'a3', 'c1', 'a4', 'a5'])
  })

  test('lets the next one in at once where a client disconnects', async () => {
    const { queue, entered, enter, doneReading } = queueUp()
    const gone = new AbortController()
    for (const name of ['a1', 'a2']) await enter(name)
    const waiting = Array.from({ length: 10 }, () => queue.enter('a', gone.signal))
    await expect(queue.enter('a')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    const last = enter('b1')
    gone.abort(new Error('away'))
    await Promise.all(waiting.map((one) => expect(one).rejects.toThrow('away')))
    await expect(queue.enter('a', gone.signal)).rejects.toThrow('away')
    const again = Array.from({ length: 10 }, (_nothing, n) => enter(`a${n + 3}`))
    await expect(queue.enter('a')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await doneReading('a1')
    expect(entered).toEqual(['a1', 'a2', 'b1', 'a3'])
    for (const name of ['a2', 'b1', ...Array.from({ length: 10 }, (_nothing, n) => `a${n + 3}`)])
      await doneReading(name)
    await Promise.all([last, ...again])
  })

  test('has capacity for the others when one account has taken all it may', async () => {
    const { queue } = queueUp()
    const tickets: ExportTicket[] = []
    for (let n = 0; n < 12; n++) {
      const ticket = await queue.enter('greedy')
      ticket.doneReading()
      tickets.push(ticket)
    }
    await expect(queue.enter('greedy')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    const other = await queue.enter('other')
    for (const ticket of [...tickets, other]) ticket.release()
    expect(await queue.enter('greedy')).toBeDefined()
  })
})

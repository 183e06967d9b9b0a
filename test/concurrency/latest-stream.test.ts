import { describe, expect, test } from 'vitest'
import { openLatestStream } from '../../src/concurrency/latest-stream.ts'

const view = (id: string, status = 'queued') => ({ id, status })

describe('a stream of latest states', () => {
  test('what is not read yet is replaced by the newer state of the same thing', async () => {
    const { states, push, finish } = openLatestStream<ReturnType<typeof view>>(() => undefined)
    push(view('a'))
    push(view('b'))
    push(view('a', 'completed'))
    finish()
    const read: unknown[] = []
    for await (const { id, status } of states) read.push([id, status])
    expect(read).toEqual([
      ['a', 'completed'],
      ['b', 'queued'],
    ])
  })

  test('a reader that leaves a thousand things unread is disconnected, and nothing is kept for it', async () => {
    let ends = 0
    const { states, push } = openLatestStream<ReturnType<typeof view>>(() => ends++)
    for (let count = 0; count <= 1000; count++) push(view(`thing ${count}`))
    expect(ends).toBe(1)
    await expect(states.next()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    push(view('later'))
    expect(await states.next()).toEqual({ done: true, value: undefined })
  })

  test('ending it ends a read that waits, and is notified once', async () => {
    let ends = 0
    const { states, finish } = openLatestStream<ReturnType<typeof view>>(() => ends++)
    const waiting = states.next()
    await states.return?.()
    finish()
    expect([await waiting, ends]).toEqual([{ done: true, value: undefined }, 1])
  })
})

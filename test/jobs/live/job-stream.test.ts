import { describe, expect, test } from 'vitest'
import type { Job } from '../../../src/jobs/job-shape.ts'
import { openJobStream } from '../../../src/jobs/live/job-stream.ts'

const view = (id: string, status = 'queued') => ({ id, status }) as Job

describe('a stream of job states', () => {
  test('what is not read yet is replaced by the newer state of the same job', async () => {
    const { states, push, finish } = openJobStream(() => undefined)
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

  test('a reader that leaves a thousand jobs unread is disconnected, and nothing is kept for it', async () => {
    let ends = 0
    const { states, push } = openJobStream(() => ends++)
    for (let count = 0; count <= 1000; count++) push(view(`job ${count}`))
    expect(ends).toBe(1)
    await expect(states.next()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    push(view('later'))
    expect(await states.next()).toEqual({ done: true, value: undefined })
  })

  test('ending it ends a read that waits, and is notified once', async () => {
    let ends = 0
    const { states, finish } = openJobStream(() => ends++)
    const waiting = states.next()
    await states.return?.()
    finish()
    expect([await waiting, ends]).toEqual([{ done: true, value: undefined }, 1])
  })
})

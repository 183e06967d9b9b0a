import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { END, openPullStream } from '../../../src/concurrency/pull-stream.ts'
import { openOperation } from '../../../src/graphql/subscriptions/subscriptions.ts'

/** Answers that come when the test says so, followed as graphql-ws follows them. */
function openFollowed() {
  const operation = openOperation()
  const waiting: number[] = []
  let isStopped = false
  const take = () => {
    const value = waiting.shift()
    if (value !== undefined) return { done: false, value } as const
    return isStopped ? END : null
  }
  const stop = () => {
    isStopped = true
  }
  const { stream, more } = openPullStream<number>({ take, stop, isBroken: () => false })
  operation.signal.addEventListener('abort', () => void stream.return())
  const answer = (value: number) => {
    waiting.push(value)
    more()
  }
  return { operation, answer, answers: operation.follow(stream), isStopped: () => isStopped }
}

describe('an operation of a socket', () => {
  test('brings its answers in their order', async () => {
    const { answers, answer } = openFollowed()
    answer(1)
    answer(2)
    expect([await answers.next(), await answers.next()].map(({ value }) => value)).toEqual([1, 2])
  })

  test('stops following when it is completed, and brings neither an answer nor an end any more', async () => {
    const { answers, answer, isStopped } = openFollowed()
    let settled = 0
    const count = () => settled++
    void answers.next().then(count)
    await answers.return(undefined)
    void answers.next().then(count)
    answer(1)
    await setImmediate()
    expect([isStopped(), settled]).toEqual([true, 0])
  })

  test('is answered unless it was completed before', async () => {
    const { handle, unlessCompleted } = openOperation()
    expect(await unlessCompleted('answer')).toBe('answer')
    await handle.return(undefined)
    let isAnswered = false
    void Promise.resolve(unlessCompleted('late')).then(() => {
      isAnswered = true
    })
    await setImmediate()
    expect(isAnswered).toBe(false)
  })
})

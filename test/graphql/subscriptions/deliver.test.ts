import { setImmediate } from 'node:timers/promises'
import type { WebSocket } from '@fastify/websocket'
import type { ExecutionResult } from 'graphql'
import { describe, expect, test } from 'vitest'
import { END, openPullStream } from '../../../src/concurrency/pull-stream.ts'
import { deliver } from '../../../src/graphql/subscriptions/deliver.ts'

/** Answers that come when the test says so, and a socket that sends when the test says so. */
function openDelivery(id = 'one') {
  const [waiting, sent, leaving] = [[] as ExecutionResult[], [] as unknown[], [] as (() => void)[]]
  const state = { ended: false, stopped: false }
  const { flow, more } = openPullStream<ExecutionResult>({
    take: () => {
      const value = waiting.shift()
      if (value !== undefined) return { done: false, value }
      return state.ended ? END : null
    },
    stop: () => {
      state.stopped = true
    },
    isBroken: () => false,
  })
  const socket = {
    send: (text: string, onSent: () => void) => {
      sent.push(JSON.parse(text))
      leaving.push(onSent)
    },
  } as WebSocket
  return {
    ...{ sent, state, iterator: deliver(flow, socket, id) },
    answer: (tick: number) => {
      waiting.push({ data: { tick } })
      more()
    },
    end: () => {
      state.ended = true
      more()
    },
    leave: () => leaving.shift()?.(),
  }
}

const next = (tick: number, id = 'one') => ({ id, type: 'next', payload: { data: { tick } } })

describe('what a subscriber is told', () => {
  test('is sent in order, and nothing before the last has left; the end comes after all of it', async () => {
    const { sent, iterator, answer, end, leave } = openDelivery()
    answer(1)
    answer(2)
    expect(sent).toEqual([])
    const ended = iterator.next()
    expect(sent).toEqual([next(1)])
    answer(3)
    expect(sent).toEqual([next(1)])
    leave()
    expect(sent).toEqual([next(1), next(2)])
    end()
    leave()
    expect(sent).toEqual([next(1), next(2), next(3)])
    leave()
    expect(await ended).toEqual({ done: true, value: undefined })
  })

  test('is sent at once to a socket that is free, under the id of the operation as it was written', () => {
    const { sent, iterator, answer, leave } = openDelivery('"odd"\n\u2028')
    void iterator.next()
    leave()
    answer(1)
    leave()
    answer(2)
    expect(sent).toEqual([next(1, '"odd"\n\u2028'), next(2, '"odd"\n\u2028')])
  })

  test('is followed no more when it is completed, and no end of it is told', async () => {
    const { state, sent, iterator, answer, end, leave } = openDelivery()
    let isOver = false
    void iterator.next().then(() => {
      isOver = true
    })
    answer(1)
    await iterator.return?.()
    answer(2)
    leave()
    end()
    await setImmediate()
    expect([sent, state.stopped, isOver]).toEqual([[next(1)], true, false])
  })
})

import { setImmediate } from 'node:timers/promises'
import type { WebSocket } from '@fastify/websocket'
import type { ExecutionResult } from 'graphql'
import { describe, expect, test } from 'vitest'
import { END, openPullStream } from '../../../src/concurrency/pull-stream.ts'
import { deliver } from '../../../src/graphql/subscriptions/deliver.ts'
import { openOperation } from '../../../src/graphql/subscriptions/open-operation.ts'

/** Answers that come when the test says so, and a socket that sends when the test says so. */
function openDelivery(id = 'one') {
  const [waiting, sent, leaving] = [[] as ExecutionResult[], [] as unknown[], [] as (() => void)[]]
  let isStopped = false
  const take = () => {
    const value = waiting.shift()
    if (value !== undefined) return { done: false, value } as const
    return isStopped ? END : null
  }
  const stop = () => {
    isStopped = true
  }
  const { stream, more } = openPullStream<ExecutionResult>({ take, stop, isBroken: () => false })
  const socket = {
    send: (text: Buffer, options: unknown, onSent: () => void) => {
      expect(options).toEqual({ binary: false })
      sent.push(JSON.parse(String(text)))
      leaving.push(onSent)
    },
  } as WebSocket
  const operation = openOperation()
  operation.signal.addEventListener('abort', () => void stream.return())
  const answers = operation.follow(deliver({ answers: stream, socket, id, signal: operation.signal }))
  const answerWith = (result: ExecutionResult) => {
    waiting.push(result)
    more()
  }
  return {
    ...{ sent, answers, answerWith, isStopped: () => isStopped },
    answer: (tick: number) => answerWith({ data: { tick } }),
    end: () => {
      isStopped = true
      more()
    },
    leave: () => leaving.shift()?.(),
  }
}

const next = (tick: number, id = 'one') => ({ id, type: 'next', payload: { data: { tick } } })

describe('the answers of a subscription', () => {
  test('are sent in order, none before the last has left; the end comes after all of them', async () => {
    const { sent, answers, answer, end, leave } = openDelivery()
    answer(1)
    answer(2)
    expect(sent).toEqual([])
    const ended = answers.next()
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

  test('are sent at once to a socket that is free, with the id of the operation as its client wrote it', () => {
    const { sent, answers, answer, leave } = openDelivery('"odd"\n\u2028')
    void answers.next()
    leave()
    answer(1)
    leave()
    answer(2)
    expect(sent).toEqual([next(1, '"odd"\n\u2028'), next(2, '"odd"\n\u2028')])
  })

  test('are sent no more once the operation is completed, and neither is an end of it', async () => {
    const { isStopped, sent, answers, answer, end, leave } = openDelivery()
    let isOver = false
    void answers.next().then(() => {
      isOver = true
    })
    answer(1)
    await answers.return(undefined)
    answer(2)
    leave()
    end()
    await setImmediate()
    expect([sent, isStopped(), isOver]).toEqual([[next(1)], true, false])
  })

  test('are written once for all subscribers of the same', () => {
    let written = 0
    const shared: ExecutionResult = { data: { tick: 1, toJSON: () => ({ tick: ++written }) } }
    const deliveries = ['one', 'two', 'three'].map(openDelivery)
    for (const { answers, answerWith } of deliveries) {
      void answers.next()
      answerWith(shared)
    }
    expect(deliveries.map(({ sent }) => sent)).toEqual([[next(1)], [next(1, 'two')], [next(1, 'three')]])
  })
})

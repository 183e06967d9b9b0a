import { setImmediate } from 'node:timers/promises'
import { buildSchema, type ExecutionResult, type GraphQLObjectType, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { END, openPullStream } from '../../../src/concurrency/pull-stream.ts'
import type { GraphqlContext } from '../../../src/graphql/builder.ts'
import { executeInTime } from '../../../src/graphql/limits/deadline.ts'
import { subscribedBy } from '../../../src/graphql/resolved-by.ts'
import { subscribe } from '../../../src/graphql/subscriptions/subscribe.ts'
import { openLog } from '../../../src/values/log.ts'

const schema = buildSchema(`
  type Query { first: Row }
  type Mutation { first: Row }
  type Row { second: Int }
  type Subscription { rows: Int }
`)

/** A call whose first resolver waits until the test lets it go on. */
function openCall(text: string) {
  const first = Promise.withResolvers<object>()
  const caller = new AbortController()
  const resolved: string[] = []
  const rootValue = {
    first: () => {
      resolved.push('first')
      return first.promise
    },
  }
  const row = { second: () => resolved.push('second') }
  const contextValue = {
    actor: { kind: 'anonymous' },
    db: { pool: {}, readPool: {} },
    log: openLog('fatal'),
    requestId: 'a',
    signal: caller.signal,
  }
  return {
    ...{ caller, resolved },
    call: { schema, document: parse(text), rootValue, contextValue },
    goOn: () => first.resolve(row),
  }
}

const messagesOf = ({ errors }: ExecutionResult) => errors?.map(({ message }) => message)

describe('a caller that goes away', () => {
  test('ends its query at once: no further resolver is called', async () => {
    const { call, caller, resolved, goOn } = openCall('{ first { second } }')
    const answer = executeInTime(call)
    caller.abort()
    expect(messagesOf(await answer)).toEqual(['Ask for less at a time: the query took too long.'])
    goOn()
    await setImmediate()
    expect(resolved).toEqual(['first'])
  })

  test('has its query not begun at all where it went before', async () => {
    const { call, caller, resolved } = openCall('{ first { second } }')
    caller.abort()
    expect((await executeInTime(call)).data).toBeNull()
    expect(resolved).toEqual([])
  })

  test('leaves its mutation to run to its end', async () => {
    const { call, caller, resolved, goOn } = openCall('mutation { first { second } }')
    const answer = executeInTime(call)
    caller.abort()
    goOn()
    expect(JSON.stringify(await answer)).toBe('{"data":{"first":{"second":2}}}')
    expect(resolved).toEqual(['first', 'second'])
  })

  test('has the stream of its subscription ended, however late that opens', async () => {
    const opened = Promise.withResolvers<void>()
    let stopped = false
    const stop = () => {
      stopped = true
    }
    const { rows } = (schema.getType('Subscription') as GraphQLObjectType).getFields()
    const verb = async (_ctx: GraphqlContext, _input: object) => {
      await opened.promise
      return openPullStream<object>({ take: () => (stopped ? END : null), stop, isBroken: () => false }).stream
    }
    rows!.subscribe = subscribedBy(verb, (args: object) => args).subscribe
    const { call, caller } = openCall('subscription { rows }')
    const answer = subscribe(call)
    caller.abort()
    expect(messagesOf((await answer) as ExecutionResult)).toEqual(['Ask for less at a time: the query took too long.'])
    expect(stopped).toBe(false)
    opened.resolve()
    await setImmediate()
    expect(stopped).toBe(true)
  })
})

import { EventEmitter } from 'node:events'
import type { WebSocket } from '@fastify/websocket'
import { describe, expect, test } from 'vitest'
import { openSocketCount } from '../../../src/graphql/subscriptions/connect-socket.ts'

const newSocket = () => new EventEmitter() as WebSocket
const holder = (accountId: string, apiKeyId: string) =>
  ({ kind: 'key', accountId, apiKeyId, scopes: [], credits: 1n }) as const
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_nothing, n) => make(n))
const addressOf = (n: number) => `2001:db8:${n.toString(16)}::1`

describe('the sockets of a process', () => {
  test('are a thousand of a key and 2,500 of its account, and another account has its own', () => {
    const count = openSocketCount()
    const open = (accountId: string, apiKeyId: string) => {
      const socket = newSocket()
      return count.open(socket, '192.0.2.1') && count.add(socket, holder(accountId, apiKeyId)) ? socket : null
    }
    const opened = [1000, 1000, 500].flatMap((many, key) => times(many, () => open('acc_a', `key_${key}`)))
    expect(opened).not.toContain(null)
    expect([open('acc_a', 'key_0'), open('acc_a', 'key_2'), open('acc_a', 'key_3')]).toEqual([null, null, null])
    expect(open('acc_b', 'key_4')).not.toBeNull()
    opened[0]?.emit('close')
    expect(open('acc_a', 'key_3')).not.toBeNull()
  })

  test('are a thousand of a network whose callers are not known yet, and those of another one find a place', () => {
    const count = openSocketCount()
    const sockets = times(1000, newSocket)
    expect(sockets.every((socket, n) => count.open(socket, `2001:db8::${n.toString(16)}`))).toBe(true)
    expect(count.open(newSocket(), '2001:db8::ffff')).toBe(false)
    expect(count.open(newSocket(), '2001:db8:0:1::1')).toBe(true)
    expect(count.add(sockets[0]!, holder('acc_a', 'key_a'))).toBe(true)
    expect(count.open(newSocket(), '2001:db8::ffff')).toBe(true)
    expect(count.open(newSocket(), '2001:db8::ffff')).toBe(false)
    sockets[0]!.emit('close')
    expect(count.open(newSocket(), '2001:db8::ffff')).toBe(false)
    sockets[1]!.emit('close')
    expect(count.open(newSocket(), '2001:db8::ffff')).toBe(true)
  })

  test('are 5,000 whose callers are not known yet, which leaves room for others, and 10,000 in all', () => {
    const count = openSocketCount()
    const unknown = times(5000, newSocket)
    expect(unknown.every((socket, n) => count.open(socket, addressOf(n)))).toBe(true)
    expect(count.open(newSocket(), addressOf(5000))).toBe(false)
    for (const [n, socket] of unknown.entries()) count.add(socket, holder(`acc_${n % 3}`, `key_${n % 9}`))
    const more = times(5000, newSocket)
    expect(more.every((socket, n) => count.open(socket, addressOf(n)))).toBe(true)
    for (const [n, socket] of more.entries()) count.add(socket, holder(`acc_${3 + (n % 3)}`, `key_${9 + (n % 9)}`))
    expect(count.open(newSocket(), addressOf(0))).toBe(false)
    more[0]!.emit('close')
    expect(count.open(newSocket(), addressOf(0))).toBe(true)
  })
})

import type { FastifyReply, FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import { hashApiKey, newApiKey } from '../../src/api-keys/api-key.ts'
import { type Database, openCheckouts } from '../../src/db/database.ts'
import { createAuthenticate } from '../../src/server/authenticate.ts'

const KEY = newApiKey()
const REQUESTS = 8

/** A door over a pool that counts its statements; each finds every key. */
function openDoor() {
  let statements = 0
  const answer = async () => {
    statements++
    return {
      rows: [
        {
          hash: hashApiKey(KEY),
          id: 'key',
          account_id: 'acc',
          scopes: [],
          credits: '1',
          allowance: null,
          unnoted: false,
        },
      ],
    }
  }
  const client = {
    query: (_statement: unknown, end: (error: null, result: unknown) => void) =>
      answer().then((found) => end(null, found)),
  }
  const pool = {
    query: answer,
    connect: (taken: (...args: unknown[]) => void) => taken(undefined, client, () => undefined),
  }
  const db = { pool, readPool: pool, checkouts: openCheckouts(async () => undefined) } as unknown as Database
  const parts = { db, keyUses: { note: () => undefined, flush: async () => undefined } }
  const authenticate = createAuthenticate(parts as never, { count: () => ({ headers: {}, error: null }) } as never)
  const socket = { destroyed: false }
  const request = { headers: { authorization: `Bearer ${KEY}` } } as FastifyRequest
  const ask = (by = socket) => {
    const reply = { header: () => reply, headers: () => reply, raw: { destroyed: false, req: { socket: by } } }
    return authenticate(request, reply as unknown as FastifyReply)
  }
  return { ask: () => ask(), askBy: ask, socket, count: () => statements }
}

describe('the keys of requests that come together', () => {
  test('are looked up in one statement', async () => {
    const { ask, count } = openDoor()
    const actors = await Promise.all(Array.from({ length: REQUESTS }, ask))
    expect(actors.map(({ apiKeyId }) => apiKeyId)).toEqual(Array.from({ length: REQUESTS }, () => 'key'))
    expect(count()).toBe(1)
    await ask()
    expect(count()).toBe(2)
  })

  test('lead no further where the caller has left meanwhile', async () => {
    const { ask, socket, count } = openDoor()
    const asked = ask()
    socket.destroyed = true
    await expect(asked).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(count()).toBe(0)
  })

  test('lead those on that have stayed', async () => {
    const { askBy, count } = openDoor()
    const [leaves, stays] = [{ destroyed: false }, { destroyed: false }]
    const [left, stayed] = [askBy(leaves), askBy(stays)]
    leaves.destroyed = true
    await expect(left).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await stayed).toMatchObject({ apiKeyId: 'key' })
    expect(count()).toBe(1)
  })
})

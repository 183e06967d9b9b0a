import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Servers } from '../../../src/db/connections/servers.ts'
import { ServiceClient } from '../../../src/db/connections/service-client.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { type Listening, listening } from '../../setup/servers/listening.ts'

const [ERROR, HEADER] = ['E'.charCodeAt(0), 5]

let home: TestDatabase
let relay: Listening
/** Resolves once the server has said that a statement fails; what it says after that is kept until `letGo`. */
let failed: PromiseWithResolvers<void>
let letGo = (): void => undefined
let client: ServiceClient
beforeAll(async () => {
  home = await createTestDatabase()
  const target = new URL(home.url)
  const server = createServer((socket) => {
    const upstream = createConnection(join(target.searchParams.get('host') ?? '', '.s.PGSQL.5432'))
    for (const one of [socket, upstream]) one.on('error', () => undefined)
    socket.pipe(upstream).on('close', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
    let kept: Buffer[] | null = null
    upstream.on('data', (bytes) => {
      if (kept !== null) return kept.push(bytes)
      const end = endOfError(bytes)
      socket.write(bytes.subarray(0, end ?? bytes.length))
      if (end === null) return
      kept = [bytes.subarray(end)]
      letGo = () => {
        socket.write(Buffer.concat(kept ?? []))
        kept = null
      }
      failed.resolve()
    })
  })
  relay = await listening(server, 0)
  const url = `postgresql://${target.username}@${new URL(relay.url).host}${target.pathname}`
  client = new ServiceClient(new Servers([url]), { areNamed: true, afterBegin: null }, {})
  client.on('error', () => undefined)
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await relay?.close()
  await home?.drop()
})

/** Finds the end of the first error among whole messages; null: there is none. */
function endOfError(bytes: Buffer): number | null {
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const next = at + 1 + bytes.readUInt32BE(at + 1)
    if (bytes[at] === ERROR) return next
    at = next
  }
  return null
}

/** Tells if the answer is there once this process has read everything that has come. */
async function isAnswered(answer: Promise<unknown>): Promise<boolean> {
  const none = Symbol('none')
  const { promise, resolve } = Promise.withResolvers<typeof none>()
  const probe = createConnection(relay.port, '127.0.0.1', () => probe.destroy())
  probe.once('close', () => setImmediate(() => resolve(none)))
  return (await Promise.race([answer, promise])) !== none
}

describe('a statement that fails', () => {
  test.each([
    ['a promise', (text: string) => client.query(text)],
    [
      'a callback',
      (text: string) => new Promise((_resolve, reject) => client.query(text, [], (error: Error) => reject(error))),
    ],
  ])('is answered by %s once the server has let go of what it locked, and not before', async (_by, ask) => {
    failed = Promise.withResolvers()
    const answer = ask('select 1 / 0').catch((error: { code?: string }) => error.code)
    await failed.promise
    const before = await isAnswered(answer)
    letGo()
    expect(before).toBe(false)
    expect(await answer).toBe('22012')
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('is answered in the end where the server is not heard of again', async () => {
    failed = Promise.withResolvers()
    const answer = client.query('select 1 / 0').catch((error: { code?: string }) => error.code)
    await failed.promise
    expect(await answer).toBe('22012')
    letGo()
  })
})

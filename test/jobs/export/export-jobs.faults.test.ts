import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportJobs } from '../../../src/jobs/export/export-jobs.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { call } from '../../setup/http.ts'
import { idAt, insertJob } from '../../setup/jobs/jobs.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const JOBS = 8_000
const ROW_BYTES = 10_500
/** The spilled part of each unread export: the rest fits into the buffers on the way to the client. */
const SPILLED_BYTES = 0.8 * JOBS * ROW_BYTES
/** PostgreSQL's answer to an export keeps these bytes for its end. */
const LAST_BYTES = 150
/** No claim: 170 MB go through a file, on a machine that may be busy. */
const POLLING = { timeout: 60_000, interval: 25 }
const PATH = '/api/v1/jobs/export?from=2026-01-01&to=2027-01-01'

let service: TestRuntime
let caller: { account: string; key: string }
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  caller = await service.createCaller()
  // More than all buffers between the database and a client hold together.
  await service.runtime.db.pool.query(
    `insert into job (id, account_id, type, endpoint_key, inputs, created_at, reason)
     select $1 || lpad(n::text, 16, '0'), $2, 'companion_chat', 'chat.companion', '{}', '2026-02-02', md5(n::text) || repeat('reason ', 1500)
     from generate_series(1, ${JOBS}) n`,
    [idAt(new Date('2026-02-02')).slice(0, 14), caller.account],
  )
})
afterAll(() => service.close())

const rowsOf = async (sql: string) => (await service.runtime.db.pool.query(sql)).rows
const HERE = `datname = current_database() and pid <> pg_backend_pid()`
const copies = () =>
  rowsOf(`select pid from pg_stat_activity where ${HERE} and state = 'active' and query like 'copy%'`)
const snapshots = () =>
  rowsOf(`select pid from pg_stat_activity where ${HERE} and (backend_xmin is not null or state like 'idle in%')`)
const connectionsInUse = () => service.runtime.db.pool.totalCount - service.runtime.db.pool.idleCount

/** The answer as soon as its head is here; nothing of the body is read until the test does, also where it breaks off before. */
const open = (
  key = caller.key,
  headers: Record<string, string> = {},
  address = service.url + PATH,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = { ...headers, authorization: `Bearer ${key}` }
    const onAnswer = (response: IncomingMessage) => resolve(response.on('error', () => undefined))
    httpRequest(address, { headers: sent, agent: false }, onAnswer).on('error', reject).end()
  })

/** How a body ends, with the bytes that came before, and their hash. */
const readOut = async (
  body: Readable & { complete?: boolean },
): Promise<{ end: string; bytes: number; hash: string }> => {
  const hash = createHash('sha256')
  let bytes = 0
  const ended = (end: string) => ({ end, bytes, hash: hash.digest('hex') })
  try {
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length
      hash.update(chunk as Buffer)
    }
    return ended(body.complete ? 'complete' : 'cut')
  } catch (error) {
    return ended((error as NodeJS.ErrnoException).code ?? 'error')
  }
}

describe('an export', () => {
  test.each(['identity', 'gzip'])('whose database connection is killed breaks off, %s', async (encoding) => {
    const response = await open(caller.key, { 'accept-encoding': encoding })
    expect(response.headers['content-encoding'] ?? 'identity').toBe(encoding)
    const body = encoding === 'gzip' ? response.pipe(createGunzip()) : response
    // It may break off before it is read, and reading it then gives the error all the same: without a listener it ends the process.
    if (body !== response) response.on('error', (error) => body.on('error', () => undefined).destroy(error))
    const kill = () =>
      rowsOf(
        `select pg_terminate_backend(pid) from pg_stat_activity where ${HERE} and query like 'copy%' and state = 'active'`,
      )
    // The head may be here before the first row is read.
    await expect.poll(kill, { timeout: 60_000, interval: 1 }).toHaveLength(1)
    const { end } = await readOut(body)
    expect(end).toBe('ECONNRESET')
    await expect.poll(() => service.runtime.spill.bytes, POLLING).toBe(0)
    expect((await call(`${service.url}/api/v1/jobs?limit=1`, { key: caller.key })).status).toBe(200)
  })

  test.each(['identity', 'gzip'])(
    'that breaks off is reset over HTTP/1.0, which knows no chunks, %s',
    async (encoding) => {
      const { hostname: host, port } = new URL(service.url)
      const socket = createConnection({ host, port: Number(port) })
      socket.write(
        `GET ${PATH} HTTP/1.0\r\nhost: a\r\nauthorization: Bearer ${caller.key}\r\naccept-encoding: ${encoding}\r\n\r\n`,
      )
      // An export that breaks off before its head is a whole answer with an error.
      await once(socket, 'readable')
      const kill = () =>
        rowsOf(
          `select pg_terminate_backend(pid) from pg_stat_activity where ${HERE} and query like 'copy%' and state = 'active'`,
        )
      await expect.poll(kill, { timeout: 60_000, interval: 1 }).toHaveLength(1)
      expect((await readOut(socket)).end).toBe('ECONNRESET')
    },
  )

  test('that its client does not read releases its snapshot and its connection, and is whole when it is read after all', async () => {
    const responses = [await open(), await open()]
    await expect.poll(() => service.runtime.spill.bytes, POLLING).toBeGreaterThan(2 * SPILLED_BYTES)
    await expect.poll(snapshots, POLLING).toEqual([])
    await expect.poll(connectionsInUse, POLLING).toBe(0)
    expect(service.runtime.spill.bytes).toBeGreaterThan(0)
    const [first, ...others] = responses
    for (const response of others) response.destroy()
    const late = await readOut(first as IncomingMessage)
    expect([late.end, late.bytes > JOBS * ROW_BYTES]).toEqual(['complete', true])
    expect(await readOut(await open())).toEqual(late)
    const unzipped = (await open(caller.key, { 'accept-encoding': 'gzip' })).pipe(createGunzip())
    const hash = createHash('sha256')
    for await (const chunk of unzipped) hash.update(chunk as Buffer)
    expect(hash.digest('hex')).toBe(late.hash)
    await expect.poll(() => service.runtime.spill.bytes, POLLING).toBe(0)
  })

  test.each(['identity', 'gzip'])(
    'whose client disconnects frees its connection within a second, %s',
    async (encoding) => {
      const freed = async () => {
        const response = await open(caller.key, { 'accept-encoding': encoding })
        // The head may be here before the first row is read.
        await expect.poll(copies, { timeout: 60_000, interval: 1 }).toHaveLength(1)
        response.destroy()
        const begun = performance.now()
        await expect.poll(copies, { ...POLLING, interval: 10 }).toEqual([])
        return performance.now() - begun
      }
      // A machine that does something else for a second may hold up any of them.
      const times: number[] = []
      while (times.length < 3 && !times.some((ms) => ms < 1000)) times.push(await freed())
      expect(Math.min(...times)).toBeLessThan(1000)
      await expect.poll(connectionsInUse, POLLING).toBe(0)
      await expect.poll(() => service.runtime.spill.bytes, POLLING).toBe(0)
    },
  )

  test('whose client disconnects while it is queued leaves the queue at once', async () => {
    const { key } = await service.createCaller()
    const holder = await service.runtime.db.pool.connect()
    const asked: ClientRequest[] = []
    const ask = (): Promise<number | undefined> =>
      new Promise((resolve) => {
        const sent = httpRequest(service.url + PATH, { headers: { authorization: `Bearer ${key}` }, agent: false })
        asked.push(sent)
        sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', () => resolve(undefined))
        sent.end()
      })
    const refusedOrWaiting = () => Promise.race([ask(), wait(1000, 'waits')])
    // Two read and are kept from ending, ten wait behind them.
    await holder.query(`${BEGIN_HELD}; lock table job in access exclusive mode`)
    const answers = Array.from({ length: 12 }, ask)
    await expect.poll(refusedOrWaiting, POLLING).toBe(429)
    for (const sent of asked.splice(2)) sent.destroy()
    await expect.poll(refusedOrWaiting, POLLING).toBe('waits')
    await holder.query('rollback')
    holder.release()
    expect(await Promise.all(answers)).toContain(200)
    for (const sent of asked) sent.destroy()
    await expect.poll(connectionsInUse, POLLING).toBe(0)
  })

  test('leaves no file with a name, and a start clears what a crash has left', async () => {
    const dir = join(service.dataDir, 'spill')
    const response = await open()
    await expect.poll(() => service.runtime.spill.bytes, POLLING).toBeGreaterThan(0)
    expect(await readdir(dir)).toEqual([])
    await writeFile(join(dir, 'left'), 'by a crash')
    const second = await openRuntime({ ...service.runtime.settings, dataDir: service.dataDir }, openLog('silent'), {
      supervise: false,
    })
    await second.close()
    expect(await readdir(dir)).toEqual([])
    expect((await readOut(response)).end).toBe('complete')
  })

  test('too many of one account are 429, and do not shut out the others', async () => {
    const [other, poor] = await Promise.all([service.createCaller(), service.createCaller()])
    const holder = await service.runtime.db.pool.connect()
    const responses: IncomingMessage[] = []
    try {
      // None ends before all have come, however slowly they do.
      await holder.query(`${BEGIN_HELD}; lock table job in access exclusive mode`)
      const opening = Array.from({ length: 13 }, () => open(other.key).then((response) => responses.push(response)))
      await expect.poll(() => responses.map(({ statusCode }) => statusCode), POLLING).toEqual([429])
      expect(responses[0]?.headers['retry-after']).toBe('10')
      const answered = open(poor.key).then((response) => [response.resume().statusCode, responses.length])
      await expect.poll(() => service.runtime.exportQueue.open, POLLING).toBe(13)
      await holder.query('rollback')
      await Promise.all(opening)
      expect(responses.map(({ statusCode }) => statusCode)).toEqual([429, ...Array(12).fill(200)])
      // The accounts take turns: its one export was answered before the last of the twelve.
      const [status, before] = await answered
      expect([status, Number(before) < responses.length]).toEqual([200, true])
    } finally {
      // PostgreSQL warns if the transaction has rolled back already.
      await holder.query('rollback')
      holder.release()
      for (const response of responses) response.destroy()
    }
    await expect
      .poll(async () => (await call(service.url + PATH, { key: other.key, method: 'HEAD' })).status, POLLING)
      .toBe(200)
  })

  test('breaks off when the service stops, so that it can stop', async () => {
    const stopping = await startTestRuntime({ env: { LOG_LEVEL: 'silent', DATABASE_URL: service.runtime.db.url } })
    const response = await open(caller.key, {}, stopping.url + PATH)
    expect(response.statusCode).toBe(200)
    await expect.poll(() => stopping.runtime.spill.bytes, POLLING).toBeGreaterThan(SPILLED_BYTES)
    await stopping.close()
    expect((await readOut(response)).end).toBe('ECONNRESET')
  })
})

/** PostgreSQL over TCP. A connection is cut once it has answered with so many bytes. */
async function startCutter(databaseUrl: string) {
  const target = new URL(databaseUrl)
  let [mostBytes, answered] = [Number.POSITIVE_INFINITY, 0]
  const server: Server = createServer((client: Socket) => {
    const upstream = createConnection(`${target.searchParams.get('host')}/.s.PGSQL.5432`)
    const end = () => [client.destroy(), upstream.destroy()]
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end)
    answered = 0
    client.on('data', (bytes) => upstream.write(bytes))
    upstream.on('data', (bytes) => {
      const left = mostBytes - answered
      answered += bytes.length
      if (bytes.length <= left) client.write(bytes)
      // Bytes from before the cut arrive.
      else client.write(bytes.subarray(0, left), end)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: () => {
      const { port } = server.address() as AddressInfo
      return `postgresql://${target.username}@127.0.0.1:${port}${target.pathname}?sslmode=disable`
    },
    cutAfter: (bytes: number) => {
      mostBytes = bytes
    },
    answered: () => answered,
    close: () => server.close(),
  }
}

test('an export whose database connection is cut breaks off, whichever of the last bytes are missing', async () => {
  const { account } = await service.createCaller()
  for (let n = 0; n < 3; n++)
    await insertJob(service.runtime.db, account, { id: idAt(new Date(Date.UTC(2026, 3, 1) + n)) })
  const cutter = await startCutter(service.runtime.db.url)
  const ctx = service.runtime.as({ kind: 'account', accountId: account, credits: 0n })
  const run = async () => {
    const input = { from: new Date('2026-01-01'), to: new Date('2027-01-01') }
    const { csv } = await exportJobs({ ...ctx, db: { ...ctx.db, url: cutter.url() } }, input)
    const chunks: Buffer[] = []
    for await (const chunk of csv) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString().split('\r\n').length
  }
  expect(await run()).toBe(5)
  const all = cutter.answered()
  const completed: number[] = []
  // The end byte by byte: the last row, what PostgreSQL says after it, and the answer to COMMIT.
  for (let missing = 1; missing < all; missing += missing < LAST_BYTES ? 1 : 50) {
    cutter.cutAfter(all - missing)
    await run().then(
      () => completed.push(missing),
      () => undefined,
    )
  }
  cutter.cutAfter(Number.POSITIVE_INFINITY)
  expect([completed, await run()]).toEqual([[], 5])
  cutter.close()
})

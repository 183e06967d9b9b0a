import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { TLSSocket } from 'node:tls'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Servers } from '../../src/db/connections/servers.ts'
import { Snapshot } from '../../src/db/snapshot.ts'
import { createTestDatabase, type TestDatabase } from '../setup/postgres/database.ts'
import { type Certificates, testCertificates } from '../setup/servers/certificates.ts'

const ROWS = 30_000
/** A statement that nobody ends takes minutes. */
const SOON = { timeout: 30_000, interval: 10 }

let database: TestDatabase
let certificates: Certificates
let proxy: Server
let watch: Client
beforeAll(async () => {
  database = await createTestDatabase()
  certificates = testCertificates()
  proxy = createServer((socket) => secure(socket)).listen(0, '127.0.0.1')
  watch = new Client({ connectionString: database.url })
  await watch.connect()
})
afterAll(async () => {
  proxy.close()
  await watch.end()
  await database.drop()
})

/** Answers a client's wish for TLS and passes the rest on to PostgreSQL. */
function secure(socket: Socket): void {
  socket.on('error', () => undefined)
  socket.once('data', () => {
    socket.write('S')
    const plain = new TLSSocket(socket, { isServer: true, ...certificates.good })
    const upstream = createConnection(`${new URL(database.url).searchParams.get('host')}/.s.PGSQL.5432`)
    plain.pipe(upstream).pipe(plain)
    for (const end of [plain, upstream])
      end.on('error', () => undefined).on('close', () => [plain.destroy(), upstream.destroy()])
  })
}

const URLS = {
  'a socket': () => database.url,
  TLS: () => {
    const { port } = proxy.address() as AddressInfo
    const { username, pathname } = new URL(database.url)
    return `postgresql://${username || 'sonant'}@127.0.0.1:${port}${pathname}?sslmode=no-verify`
  },
}

const others = async () =>
  (
    await watch.query<{ query: string }>(
      `select query from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    )
  ).rows

/** Everything that is copied, and how many rows PostgreSQL says they were. */
async function copy(url: string, sql: string): Promise<{ text: string; rows: number }> {
  const snapshot = await Snapshot.open({ watched: new Servers([url]) })
  try {
    const copied = snapshot.copy(`copy (${sql}) to stdout with (format csv)`)
    const chunks: Buffer[] = []
    for await (const chunk of copied) chunks.push(chunk)
    await snapshot.commit()
    return { text: Buffer.concat(chunks).toString(), rows: copied.rowCount }
  } finally {
    snapshot.close()
  }
}

describe.each(Object.entries(URLS))('a snapshot over %s', (_name, url) => {
  test('copies rows of any size, and counts them', async () => {
    const { text, rows } = await copy(
      url(),
      `select n, repeat(chr(97 + n % 26), n * 37 % 211) from generate_series(1, ${ROWS}) n`,
    )
    const expected = Array.from({ length: ROWS }, (_nothing, index) => {
      const n = index + 1
      const cell = String.fromCharCode(97 + (n % 26)).repeat((n * 37) % 211)
      return `${n},${cell === '' ? '""' : cell}\n`
    })
    expect([rows, text === expected.join('')]).toEqual([ROWS, true])
  })

  test('copies rows of megabytes, and none at all', async () => {
    const { text, rows } = await copy(url(), `select repeat(E'a\\n"', 400000) from generate_series(1, 4)`)
    expect([rows, text === `"${'a\n""'.repeat(400_000)}"\n`.repeat(4)]).toEqual([4, true])
    expect(await copy(url(), 'select 1 where false')).toEqual({ text: '', rows: 0 })
  })

  test.each([
    ['at the beginning', 'select nothing', 'column "nothing" does not exist'],
    ['in the middle', 'select 1 / (20000 - n) from generate_series(1, 30000) n', 'division by zero'],
    [
      'by losing its connection',
      'select case when n = 9000 then pg_terminate_backend(pg_backend_pid()) end from generate_series(1, 90000) n',
      'terminat',
    ],
  ])('fails where PostgreSQL fails %s', async (_where, sql, message) => {
    await expect(copy(url(), sql)).rejects.toThrow(message)
    await expect.poll(others, SOON).toEqual([])
  })
})

describe('a snapshot', () => {
  test('shows what there was when it was opened', async () => {
    await watch.query('create table fact (n int)')
    const snapshot = await Snapshot.open({ watched: new Servers([database.url]) })
    expect(await snapshot.query('select n from fact')).toEqual([])
    await watch.query('insert into fact values (1)')
    expect(await snapshot.query('select n from fact')).toEqual([])
    snapshot.close()
    expect(await copy(database.url, 'select n from fact')).toEqual({ text: '1\n', rows: 1 })
  })

  test('takes as long as it has rows, whatever time a statement of the role may take', async () => {
    const limited = new URL(database.url)
    limited.searchParams.set('options', '-c statement_timeout=1000 -c transaction_timeout=1000')
    const slow = 'select n from generate_series(1, 4) n, lateral pg_sleep(0.4 * (n - n + 1))'
    expect((await copy(limited.href, slow)).rows).toBe(4)
  })

  test('that has failed cannot be committed', async () => {
    const snapshot = await Snapshot.open({ watched: new Servers([database.url]) })
    await expect(snapshot.query('select nothing')).rejects.toThrow('does not exist')
    await expect(snapshot.commit()).rejects.toThrow('the statement before the commit failed')
    snapshot.close()
  })

  test('that has lost its connection says so to who reads its next copy, also where that comes later', async () => {
    const snapshot = await Snapshot.open({ watched: new Servers([database.url]) })
    await expect(snapshot.query('select pg_terminate_backend(pg_backend_pid())')).rejects.toThrow('terminat')
    const copied = snapshot.copy('copy (select 1) to stdout')
    await new Promise((resolve) => copied.once('error', resolve))
    await expect(pipeline(copied, new PassThrough().resume())).rejects.toThrow(/terminated|not queryable/)
    snapshot.close()
  })

  test.each([
    ['waits for a lock', 'select pg_advisory_lock(1)'],
    ['sorts and counts', 'select count(*) from generate_series(1, 1000000000) n'],
    ['copies', 'copy (select generate_series(1, 1000000000)) to stdout'],
  ])('that is closed while it %s leaves nothing behind in PostgreSQL', async (_what, sql) => {
    await watch.query('select pg_advisory_lock(1)')
    const snapshot = await Snapshot.open({ watched: new Servers([database.url]) })
    const ended = sql.startsWith('copy')
      ? new Promise((resolve) => snapshot.copy(sql).once('error', resolve))
      : snapshot.query(sql).catch((error: Error) => error)
    await expect.poll(others, SOON).toEqual([{ query: sql }])
    snapshot.close()
    snapshot.close()
    expect(await ended).toBeInstanceOf(Error)
    await expect.poll(others, SOON).toEqual([])
    await watch.query('select pg_advisory_unlock_all()')
  })
})

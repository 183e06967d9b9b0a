import { type AddressInfo, createConnection, createServer, type Server, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LendingSocket } from '../../../src/db/lending-socket.ts'
import { CopyCsv } from '../../../src/jobs/export/copy-csv.ts'
import { type Certificates, makeCertificates } from '../../setup/certificates.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'

const ROWS = 30_000

let database: TestDatabase
let certificates: Certificates
let proxy: Server
beforeAll(async () => {
  database = await createTestDatabase()
  certificates = await makeCertificates()
  proxy = createServer((socket) => secure(socket)).listen(0, '127.0.0.1')
})
afterAll(async () => {
  proxy.close()
  certificates.remove()
  await database.drop()
})

/** Answers a client's wish for TLS and passes the rest on to PostgreSQL. */
function secure(socket: Socket): void {
  socket.once('data', () => {
    socket.write('S')
    const plain = new TLSSocket(socket, { isServer: true, ...certificates.good })
    const upstream = createConnection(`${new URL(database.url).searchParams.get('host')}/.s.PGSQL.5432`)
    plain.pipe(upstream).pipe(plain)
    for (const end of [plain, upstream])
      end.on('error', () => undefined).on('close', () => [plain.destroy(), upstream.destroy()])
  })
}

const POOLS = {
  'a socket that lends': () => new Pool({ connectionString: database.url, max: 1, stream: () => new LendingSocket() }),
  'an ordinary socket': () => new Pool({ connectionString: database.url, max: 1, stream: () => new Socket() }),
  TLS: () => {
    const url = new URL(database.url)
    const { port } = proxy.address() as AddressInfo
    const ssl = { rejectUnauthorized: false }
    const to = { host: '127.0.0.1', port, user: url.username || 'sonant', database: url.pathname.slice(1), ssl }
    return new Pool({ ...to, max: 1, stream: () => new LendingSocket() })
  },
}

/** The whole file, and how the connection was given back. Chunks are looked at only until the next one. */
async function copy(pool: Pool, sql: string, finish = 'select 1'): Promise<{ file: string; rows: number }> {
  const client = await pool.connect()
  const rows = new CopyCsv({
    sql: `copy (${sql}) to stdout with (format csv)`,
    head: 'head\r\n',
    finish: () => client.query(finish),
    onEnd: (error) => client.release(error),
  })
  client.query(rows)
  let file = ''
  for await (const chunk of rows) file += chunk.toString('latin1')
  return { file, rows: rows.rows }
}

test('COPY through a socket that lends leaves no memory behind', async () => {
  const pool = POOLS['a socket that lends']()
  const client = await pool.connect()
  const rows = new CopyCsv({
    sql: `copy (select generate_series(1, 300000), repeat('x', 200)) to stdout with (format csv)`,
    head: '',
    finish: async () => undefined,
    onEnd: (error) => client.release(error),
  })
  client.query(rows)
  const before = process.memoryUsage().arrayBuffers
  let [bytes, most] = [0, 0]
  for await (const chunk of rows) {
    bytes += chunk.length
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  await pool.end()
  expect(bytes).toBeGreaterThan(60_000_000)
  expect(most).toBeLessThan(4_000_000)
})

describe.each(Object.entries(POOLS))('COPY through %s', (_name, open) => {
  let pool: Pool
  beforeAll(() => {
    pool = open().on('error', () => undefined)
  })
  afterAll(() => pool.end())

  const stillWorks = async () => expect((await pool.query('select 7 as n')).rows).toEqual([{ n: 7 }])

  test('is the same rows in any size, each with its end', async () => {
    const sizes = 'select n, repeat(chr(97 + n % 26), n * 37 % 211) from generate_series(1, $) n'
    const { file, rows } = await copy(pool, sizes.replace('$', String(ROWS)))
    const expected = Array.from({ length: ROWS }, (_nothing, index) => {
      const n = index + 1
      const text = String.fromCharCode(97 + (n % 26)).repeat((n * 37) % 211)
      return `${n},${text === '' ? '""' : text}\r\n`
    })
    expect([rows, file === `head\r\n${expected.join('')}`]).toEqual([ROWS, true])
    await stillWorks()
  })

  test('takes rows of megabytes with line feeds in them, and none at all', async () => {
    const { file } = await copy(pool, `select repeat(E'a\\n"', 400000) from generate_series(1, 4)`)
    expect(file === `head\r\n${`"${'a\n""'.repeat(400_000)}"\r\n`.repeat(4)}`).toBe(true)
    expect(await copy(pool, 'select 1 where false')).toEqual({ file: 'head\r\n', rows: 0 })
  })

  test('passes on what else PostgreSQL has to say meanwhile', async () => {
    const client = await pool.connect()
    await client.query(`create or replace function pg_temp.told(n int) returns int language plpgsql as
      $$ begin raise notice 'row %', n; return n; end $$`)
    let notices = 0
    client.on('notice', () => notices++)
    client.release()
    const { rows } = await copy(pool, 'select pg_temp.told(n) from generate_series(1, 500) n')
    expect([rows, notices]).toEqual([500, 500])
    await stillWorks()
  })

  test('fails where PostgreSQL fails, at the beginning, in the middle or at the end', async () => {
    await expect(copy(pool, 'select nothing')).rejects.toThrow('column "nothing" does not exist')
    await stillWorks()
    await expect(copy(pool, 'select 1 / (20000 - n) from generate_series(1, 30000) n')).rejects.toThrow(
      'division by zero',
    )
    await stillWorks()
    await expect(copy(pool, 'select 1', 'select 1 / 0')).rejects.toThrow('division by zero')
    await stillWorks()
    await expect(
      copy(
        pool,
        'select case when n = 9000 then pg_terminate_backend(pg_backend_pid()) end from generate_series(1, 90000) n',
      ),
    ).rejects.toThrow()
    await stillWorks()
  })

  test('lets go of a connection whose rows nobody wants any more', async () => {
    const client = await pool.connect()
    const ended = new Promise<Error | undefined>((resolve) => {
      const rows = new CopyCsv({
        sql: 'copy (select generate_series(1, 100000000)) to stdout with (format csv)',
        head: '',
        finish: async () => undefined,
        onEnd: (error) => {
          client.release(error)
          resolve(error)
        },
      })
      client.query(rows)
      void rows.next().then(() => rows.destroy())
    })
    expect(await ended).toBeInstanceOf(Error)
    await stillWorks()
  })
})

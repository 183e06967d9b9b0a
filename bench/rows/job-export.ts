import { execFile } from 'node:child_process'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { request } from 'undici'
import { copyWithin } from '../../src/jobs/export/export-jobs.ts'
import type { Environment, Service } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { atMost, interleaved, type Measure, median, type Row } from '../measure.ts'
import { residentMb } from '../process.ts'
import { seedJobs } from '../seed.ts'

const run = promisify(execFile)
const JOBS = 500_000
const MS_PER_DAY = 86_400_000
const MIB = 2 ** 20
const READ_EVERY_MS = 50
const STILL_MS = 1_000
const STILL_BYTES = MIB / 4
const SETTLE_DEADLINE_MS = 60_000
const { whole: MOST, firstByteMs: FIRST_MS, residentMib: RESIDENT_MIB } = GOALS.export

/** An export of 500,000 jobs. The floor is COPY of the very same select by psql into /dev/null; without psql, into a plain client that throws the bytes away. */
export const jobExport: Row = {
  name: 'export',
  what: 'GET jobs/export, 500,000 jobs',
  reach: `<= ${MOST} x psql's COPY; first byte <= ${FIRST_MS} ms; <= ${RESIDENT_MIB} MiB above idle`,
  run: async (environment) => {
    const { url } = await environment.database()
    const { accountId, apiKey } = await environment.account('bench export')
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      await client.query('delete from job where account_id = $1', [accountId])
      await seedJobs(client, accountId, JOBS)
      const now = Date.now()
      const window = { from: new Date(now - 310 * MS_PER_DAY), to: new Date(now + MS_PER_DAY) }
      const service = await environment.serve('serve')
      const address = `${service.url}/api/v1/jobs/export?from=${window.from.toISOString()}&to=${window.to.toISOString()}`
      const copy = copyWithin(accountId, window)
      const isPsql = await hasPsql()
      const psql = ['-X', '-q', '-o', '/dev/null', '-c', copy, url]
      const floor = isPsql ? () => timed(() => run('psql', psql)) : () => copied(client, copy)
      const measures = await measured(environment, service, address, apiKey, floor)
      await service.stop()
      const notes = isPsql ? [] : ['psql was not found: the floor is COPY into a client of this process']
      return { name: 'export', measures, notes }
    } finally {
      await client.end()
    }
  },
}

async function measured(
  environment: Environment,
  service: Service,
  address: string,
  apiKey: string,
  floor: () => Promise<number>,
): Promise<Measure[]> {
  const firsts: number[] = []
  const idle = await idleBytes(service, apiKey)
  const sides = {
    ours: async () => {
      const { first, whole } = await download(address, apiKey)
      firsts.push(first)
      return whole
    },
    floor,
  }
  const [pairs, peak] = await withPeak(service.pid, () => interleaved(environment.quick ? 2 : 5, sides))
  const [, zippedPeak] = await withPeak(service.pid, () => download(address, apiKey, { 'accept-encoding': 'gzip' }))
  const ratio = median(pairs.map((pair) => pair.ours / pair.floor))
  const [value, whole] = [median(pairs.map(({ ours }) => ours)), median(pairs.map((pair) => pair.floor))]
  const first = median(firsts)
  const bare = { floor: null, ratio: null }
  const grown = (what: string, bytes: number): Measure => {
    const above = (bytes - idle) / MIB
    return { what, unit: 'MiB', value: above, ...bare, reach: `<= ${RESIDENT_MIB} MiB`, reached: above <= RESIDENT_MIB }
  }
  return [
    { what: 'whole', unit: 'ms', value, floor: whole, ratio, reach: `<= ${MOST} x floor`, reached: ratio <= MOST },
    atMost('first byte', 'ms', first, FIRST_MS),
    grown('resident above idle', peak),
    grown('resident above idle, with gzip', zippedPeak),
  ]
}

/** Once a first request has been answered and the memory of the start was given back: it stands still for a second. */
async function idleBytes({ url, pid }: Service, apiKey: string): Promise<number> {
  await download(`${url}/api/v1/jobs?limit=1`, apiKey)
  const deadline = performance.now() + SETTLE_DEADLINE_MS
  for (let before = residentBytes(pid); ; ) {
    await wait(STILL_MS)
    const now = residentBytes(pid)
    if (Math.abs(now - before) < STILL_BYTES) return now
    if (performance.now() > deadline) throw new Error('the memory of an idle service does not settle')
    before = now
  }
}

/** Returns the result, and the most memory that the process held meanwhile, in bytes. */
async function withPeak<Result>(pid: number, work: () => Promise<Result>): Promise<[Result, number]> {
  let peak = residentBytes(pid)
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentBytes(pid))
  }, READ_EVERY_MS)
  try {
    const result = await work()
    return [result, peak]
  } finally {
    clearInterval(sampling)
  }
}

const residentBytes = (pid: number): number => residentMb(pid) * MIB

async function download(
  address: string,
  apiKey: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ first: number; whole: number }> {
  const started = performance.now()
  let first = 0
  const { statusCode, body } = await request(address, { headers: { ...headers, authorization: `Bearer ${apiKey}` } })
  if (statusCode !== 200) throw new Error(`${address} was answered with ${statusCode}`)
  for await (const _chunk of body) first ||= performance.now() - started
  return { first, whole: performance.now() - started }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const hasPsql = () =>
  run('psql', ['--version']).then(
    () => true,
    () => false,
  )

async function copied(client: Client, copy: string): Promise<number> {
  const started = performance.now()
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  await client.query('begin isolation level repeatable read read only')
  await pipeline(client.query(copyTo(copy)), nowhere)
  await client.query('commit')
  return performance.now() - started
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDrain } from '../../backlog.ts'
import type { Environment } from '../../environment.ts'
import { interleaved, type Measure, median, type Row } from '../../measure.ts'

/** What each promises of a job, as configured here; PostgreSQL flushes every commit (`synchronous_commit = on`). */
const PEERS: readonly (readonly [string, string])[] = [
  [
    'pg-boss',
    'insert and completion are on the disk; done twice where a worker outlives its 15 min; no charge, no result',
  ],
  [
    'graphile-worker',
    'insert and removal are on the disk; a dead worker keeps its job for 4 h; done twice then; no charge, no result',
  ],
  [
    'graphile-worker, local queue',
    'as graphile-worker, and a dead worker keeps what it fetched ahead as well; no charge, no result',
  ],
]
const OURS =
  'Sonant: engine over HTTP, audio checked and on the disk, charge, completion and artifact on the disk, accounts in turn, a dead worker’s jobs go on after 5 s, charged and completed once'

/**
 * One worker of this service drains a backlog, next to other queues on the same database whose work does nothing: jobs per second from the
 * first claim to the last completion. No goal: they do a part of the work.
 */
export const peers: Row = {
  name: 'peers',
  what: 'a backlog drained, next to pg-boss and graphile-worker alone, whose jobs do nothing',
  reach: 'none',
  run: async (environment) => {
    const count = environment.quick ? 500 : 2000
    const drain = await openDrain(environment, 32)
    const measures: Measure[] = []
    const notes: string[] = [OURS]
    try {
      for (const [name, durability] of PEERS) {
        const added: number[] = []
        const floor = async () => {
          const rates = await measurePeer(environment, name, count)
          added.push(rates.added)
          return rates.drained
        }
        const pairs = await interleaved(environment.quick ? 1 : 3, { ours: () => drain.run(count), floor })
        measures.push({ ...measureOf(name, pairs), reach: 'none', reached: true })
        notes.push(`${name}: ${durability}; ${median(added).toFixed(0)} inserts/s, 32 at a time`)
      }
    } finally {
      await drain.close()
    }
    notes.push('bullmq-proxy with Redis: skipped, neither is a dependency of this repository')
    return { name: 'peers', measures, notes }
  },
}

function measureOf(name: string, pairs: Awaited<ReturnType<typeof interleaved>>) {
  const [value, floor] = [median(pairs.map(({ ours }) => ours)), median(pairs.map((pair) => pair.floor))]
  return { what: `next to ${name}`, unit: 'jobs/s', floor, value, ratio: value / floor }
}

async function measurePeer(environment: Environment, peer: string, jobs: number) {
  const { url } = await environment.database()
  const file = join(await environment.directory(), 'rates.json')
  const given = { PEER: peer, JOBS: String(jobs), DATABASE_URL: url, RESULT_FILE: file }
  await (await environment.floor('peer-queue', given)).stop()
  return JSON.parse(await readFile(file, 'utf8')) as { readonly added: number; readonly drained: number }
}

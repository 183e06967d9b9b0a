import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { Pool } from 'pg'
import { PgBoss } from 'pg-boss'
import { newId } from '../../src/values/id.ts'
import { bullmqProxy } from './bullmq-proxy.ts'
import { AT_ONCE, type Peer, type PeerOptions, type Work } from './peer.ts'
import { INSERT_JOB, insertValues, openWork } from './peer-work.ts'

// Another queue on the same database. With STEP=add JOBS jobs go in one by one, 32 at a time, each with its row in `job`; with STEP=drain they
// come out, 32 at a time, each to the work of a job of this service. It says how many a second once it is ready.

const logger = new Logger(() => () => undefined)

/** pg-boss as this service uses it: a fetch for the slots that are free, and one statement that completes what has ended meanwhile. */
async function pgBoss({ connectionString, jobs }: PeerOptions): Promise<Peer> {
  const boss = new PgBoss({ connectionString, schema: 'peer_boss', schedule: false, supervise: false, max: AT_ONCE })
  await boss.start()
  await boss.createQueue('bench')
  return {
    add: (jobId, tx) => {
      const executeSql = (text: string, values?: unknown[]) => tx.query(text, values)
      return boss.send('bench', { jobId }, { db: { executeSql } })
    },
    drain: (work) => drainBoss(boss, jobs, work),
    close: () => boss.stop({ graceful: false }),
  }
}

async function drainBoss(boss: PgBoss, jobs: number, work: Work): Promise<void> {
  let [running, left, done] = [0, jobs, [] as string[]]
  const completing = async () => {
    while (left > 0) {
      const ids = done
      done = []
      if (ids.length === 0) await new Promise((resolve) => setImmediate(resolve))
      else await boss.complete('bench', ids)
      left -= ids.length
    }
  }
  const fetching = async () => {
    for (let fetched = 0; fetched < jobs; ) {
      const batch =
        running < AT_ONCE ? await boss.fetch<{ jobId: string }>('bench', { batchSize: AT_ONCE - running }) : []
      fetched += batch.length
      running += batch.length
      for (const { id, data } of batch)
        void work(data.jobId).then(() => {
          running--
          done.push(id)
        })
      if (batch.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  await Promise.all([fetching(), completing()])
}

/** @param local jobs that it fetches ahead for its 32 slots; none: each slot fetches its own */
async function graphile({ pool, jobs }: PeerOptions, local?: number): Promise<Peer> {
  const utils = await makeWorkerUtils({ pgPool: pool, logger })
  await utils.migrate()
  return {
    add: (jobId, tx) =>
      tx.query(`select graphile_worker.add_job('bench', json_build_object('jobId', $1::text))`, [jobId]),
    drain: async (work) => {
      const done = Promise.withResolvers<void>()
      let left = jobs
      const bench = async (payload: unknown) => {
        await work((payload as { jobId: string }).jobId)
        if (--left === 0) done.resolve()
      }
      const batches = local !== undefined && { localQueue: { size: local }, completeJobBatchDelay: 0 }
      const preset = { worker: { concurrentJobs: AT_ONCE, ...batches } }
      const runner = await run({ pgPool: pool, logger, noHandleSignals: true, taskList: { bench }, preset })
      await done.promise
      // Ends when the last of them is out of the table.
      await runner.stop()
    },
    close: async () => utils.release(),
  }
}

const PEERS: Readonly<Record<string, (options: PeerOptions) => Promise<Peer>>> = {
  'pg-boss': pgBoss,
  'graphile-worker': (options) => graphile(options),
  'graphile-worker, local queue': (options) => graphile(options, 2 * AT_ONCE),
  'bullmq-proxy': bullmqProxy,
}

/** Jobs per second. */
async function addAll(peer: Peer, pool: Pool, jobs: number): Promise<number> {
  const begun = performance.now()
  let left = jobs
  const add = async () => {
    const [jobId, tx] = [newId('job'), await pool.connect()]
    await tx.query('begin')
    await tx.query({ ...INSERT_JOB, values: insertValues(jobId) })
    await peer.add(jobId, tx)
    await tx.query('commit')
    tx.release()
  }
  const slot = async () => {
    while (left-- > 0) await add()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, slot))
  return jobs / ((performance.now() - begun) / 1000)
}

/** Jobs per second, from the first that is begun to the last that is committed: as it is measured of this service. */
async function drainAll(peer: Peer, pool: Pool, jobs: number): Promise<number> {
  const work = openWork(pool)
  let [first, last] = [Number.POSITIVE_INFINITY, 0]
  await peer.drain(async (jobId) => {
    first = Math.min(first, performance.now())
    await work(jobId)
    last = performance.now()
  })
  return jobs / ((last - first) / 1000)
}

const [connectionString, jobs] = [process.env.DATABASE_URL!, Number(process.env.JOBS)]
const pool = new Pool({ connectionString, max: AT_ONCE + 2 })
const peer = await PEERS[process.env.PEER!]!({ connectionString, pool, jobs })
const rate = await (process.env.STEP === 'add' ? addAll : drainAll)(peer, pool, jobs)
await peer.close()
await pool.end()
process.stdout.write(`ready ${rate}\n`)

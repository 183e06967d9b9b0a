import { writeFileSync } from 'node:fs'
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { Pool } from 'pg'
import { PgBoss } from 'pg-boss'

// Another queue on the same database: JOBS jobs go in one by one, 32 at a time, then come out, 32 at a time, each to work that does
// nothing. Their rates are in RESULT_FILE once it says that it is ready.

const AT_ONCE = 32
const [connectionString, jobs] = [process.env.DATABASE_URL!, Number(process.env.JOBS)]
const logger = new Logger(() => () => undefined)

/** A queue with jobs in it, or without. */
interface Peer {
  add(job: number): Promise<unknown>
  /** Ends once all are done with, and their completions committed. */
  drain(): Promise<void>
  close(): Promise<void>
}

/** pg-boss as this service uses it: a fetch for 32 slots, and one statement that completes what it brought. */
async function pgBoss(): Promise<Peer> {
  const boss = new PgBoss({ connectionString, schema: 'peer_boss', schedule: false, supervise: false, max: AT_ONCE })
  await boss.start()
  await boss.createQueue('bench')
  return {
    add: (job) => boss.send('bench', { job }),
    drain: async () => {
      for (;;) {
        const fetched = await boss.fetch('bench', { batchSize: AT_ONCE })
        if (fetched.length === 0) return
        await boss.complete(
          'bench',
          fetched.map(({ id }) => id),
        )
      }
    },
    close: () => boss.stop({ graceful: false }),
  }
}

/** @param local jobs that it fetches ahead for its 32 slots; none: each slot fetches its own */
async function graphile(local?: number): Promise<Peer> {
  const pool = new Pool({ connectionString, max: AT_ONCE + 2 })
  const utils = await makeWorkerUtils({ pgPool: pool, logger })
  await utils.migrate()
  return {
    add: (job) => utils.addJob('bench', { job }),
    drain: async () => {
      const done = Promise.withResolvers<void>()
      let left = jobs
      const bench = async () => {
        if (--left === 0) done.resolve()
      }
      const batches = local !== undefined && { localQueue: { size: local }, completeJobBatchDelay: 0 }
      const preset = { worker: { concurrentJobs: AT_ONCE, ...batches } }
      const runner = await run({ pgPool: pool, logger, noHandleSignals: true, taskList: { bench }, preset })
      await done.promise
      // Ends when the last of them is out of the table.
      await runner.stop()
    },
    close: async () => {
      await utils.release()
      await pool.end()
    },
  }
}

const PEERS: Readonly<Record<string, () => Promise<Peer>>> = {
  'pg-boss': pgBoss,
  'graphile-worker': () => graphile(),
  'graphile-worker, local queue': () => graphile(2 * AT_ONCE),
}

/** Jobs per second. */
async function rateOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return jobs / ((performance.now() - begun) / 1000)
}

async function addAll(peer: Peer): Promise<void> {
  let next = 0
  const slot = async () => {
    while (next < jobs) await peer.add(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, slot))
}

const peer = await PEERS[process.env.PEER!]!()
const rates = { added: await rateOf(() => addAll(peer)), drained: await rateOf(() => peer.drain()) }
await peer.close()
writeFileSync(process.env.RESULT_FILE!, JSON.stringify(rates))
process.stdout.write('ready\n')

import { type Drain, openDrain } from '../../backlog.ts'
import type { Environment } from '../../environment.ts'
import { figure, interleaved, type Measure, median, NO_GOAL, type Row } from '../../measure.ts'
import { missingForProxy, proxyDirectory } from '../../missing-proxy.ts'

/** Each peer's promises about a job, as configured here, beyond those that all share; PostgreSQL flushes every commit (`synchronous_commit = on`). */
const PEERS: readonly (readonly [string, string])[] = [
  [
    'pg-boss',
    'job and queue row in one commit; a dead worker keeps its job for 15 min; accounts are not served in turn',
  ],
  [
    'graphile-worker',
    'job and queue row in one commit; a dead worker keeps its job for 4 h; accounts are not served in turn',
  ],
  [
    'graphile-worker, local queue',
    'as graphile-worker, and a dead worker keeps what it fetched ahead as well; accounts are not served in turn',
  ],
]
const PROXY = [
  'bullmq-proxy',
  'Redis flushes every write; a job is in Redis before its row is committed: an entry may have no row, and a worker may take it too early and lose it; a dead worker keeps its job for 30 s; this code follows its documentation and has not been tried with it',
] as const
const OURS =
  'Sonant: the work, the audio checked before that, processing committed with the charge when the job is claimed, accounts in turn, a dead worker’s jobs go on after 5 s'
const WORK =
  'the work, the same for all: one call of a speech server, the file flushed to the disk, then charge, ledger, artifact and completed state in one commit, once for each job; a handler of another queue does the last in one statement; each backlog is drained by a process that has just started'

/**
 * One worker of this service drains a backlog, next to other queues on the same database whose handlers do the same work at as many jobs at
 * once: jobs per second from the first that is begun to the last that is committed as completed. No goal.
 */
export const peers: Row = {
  name: 'peers',
  what: 'a backlog drained, next to other queues with the same work',
  reach: NO_GOAL,
  run: async (environment) => {
    const drain = await openDrain(environment, { slots: 32 })
    const missing = await missingForProxy()
    const present = missing.length === 0 ? [...PEERS, PROXY] : PEERS
    const measures: Measure[] = []
    const notes = [WORK, OURS]
    try {
      for (const [name, durability] of present) {
        const { measure, added } = await compare(environment, drain, name)
        measures.push(measure)
        notes.push(`${name}: the work; ${durability}; ${added.toFixed(0)} jobs/s in, 32 at a time`)
      }
    } finally {
      await drain.close()
    }
    if (missing.length > 0)
      notes.push(
        `bullmq-proxy: not run, without ${missing.join(', ')}; what would run follows its documentation, untried`,
      )
    return { name: 'peers', measures, notes }
  },
}

async function compare(environment: Environment, drain: Drain, name: string) {
  const count = environment.quick ? 500 : 2000
  const added: number[] = []
  const floor = async () => {
    const rates = await measurePeer(environment, drain, name, count)
    added.push(rates.added)
    return rates.drained
  }
  const pairs = await interleaved(environment.quick ? 1 : 3, { ours: () => drain.run(count), floor })
  const [value, bare] = [median(pairs.map(({ ours }) => ours)), median(pairs.map((pair) => pair.floor))]
  return { measure: figure(`next to ${name}`, 'jobs/s', value, bare), added: median(added) }
}

/** The jobs go in by one process and come out by another, which is as cold as a worker of this service. Both in jobs per second. */
async function measurePeer(environment: Environment, drain: Drain, peer: string, jobs: number) {
  const { url, accountId } = await environment.database()
  const directory = await environment.directory()
  const given = { PEER: peer, JOBS: String(jobs), DATABASE_URL: url, ACCOUNT_ID: accountId }
  const places = { SPEECH_URL: drain.server, FILES_DIR: directory, PROXY_DIR: proxyDirectory() ?? '' }
  const rate = async (step: 'add' | 'drain') => {
    const queue = await environment.floor('peer-queue', { ...given, ...places, STEP: step })
    await queue.stop()
    return Number(queue.line.split(' ')[1])
  }
  return { added: await rate('add'), drained: await rate('drain') }
}

import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime, type Runtime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { startWorker } from '../../../src/worker/start-worker.ts'
import { applyEndpoint } from '../../../test/setup/jobs/voice-jobs.ts'
import { ILLNESSES, makeServerProgram } from '../../../test/setup/servers/server-program.ts'
import type { Environment } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import type { Measure, Row } from '../../measure.ts'

const POOL = 'gpu'
const HEALTHY = 2
const ENGINE = { base_url: 'worker', pool: POOL, max_in_flight: 2 }
const ENDS = `select count(*) filter (where status in ('completed', 'failed'))::integer as ended,
  count(*) filter (where status = 'failed')::integer as failed from job where endpoint_key = 'voice.own'`
const { times: MOST } = GOALS.fleetBrokenServer

type Illness = (typeof ILLNESSES)[number]

/**
 * Three workers with servers of their own, which take 200 ms for a text, two at once; one of them answers 503, 500, never, with silence
 * or by hanging up, though its /health is 200. The floor is the same jobs with the two healthy workers alone.
 */
export const fleetBrokenServer: Row = {
  name: 'fleet-broken-server',
  what: 'a backlog of three workers, the server of one unwell',
  reach: `<= ${MOST} x floor, no job fails`,
  run: async (environment) => {
    const { apiKey } = await environment.database()
    const service = await environment.serve('serve')
    const fleet = { environment, apiKey, url: service.url, jobs: environment.quick ? 80 : 200 }
    const floor = await drained(fleet, null)
    const measures: Measure[] = []
    for (const illness of ILLNESSES) {
      const { ms, failed } = await drained(fleet, illness)
      const ratio = ms / floor.ms
      const reached = ratio <= MOST && failed === 0
      const what = `${illness}, ${failed} of ${fleet.jobs} failed`
      measures.push({ what, unit: 'ms', value: ms, floor: floor.ms, ratio, reach: `<= ${MOST} x floor`, reached })
    }
    return { name: 'fleet-broken-server', measures, notes: [] }
  },
}

interface Fleet {
  readonly environment: Environment
  readonly apiKey: string
  readonly url: string
  readonly jobs: number
}

async function drained(fleet: Fleet, illness: Illness | null): Promise<{ ms: number; failed: number }> {
  const { environment, jobs } = fleet
  const round = environment.scope()
  const runtimes: Runtime[] = []
  for (let index = 0; index < HEALTHY; index++) runtimes.push(await addWorker(round, null))
  if (illness !== null) await addWorker(round, illness)
  const { db } = runtimes[0]!
  const read = async () => (await db.pool.query<{ ended: number; failed: number }>(ENDS)).rows[0]!
  const before = await read()
  const begun = performance.now()
  await submitAll(fleet)
  let after = await read()
  while (after.ended - before.ended < jobs) {
    await wait(50)
    after = await read()
  }
  const ms = performance.now() - begun
  await round.close()
  return { ms, failed: after.failed - before.failed }
}

async function addWorker(round: Environment, illness: Illness | null): Promise<Runtime> {
  const { url } = await round.database()
  const program = await round.open(makeServerProgram, (made) => made.remove())
  program.set('paced')
  if (illness !== null) program.set(illness)
  const settings = readSettings({ DATABASE_URL: url, DATA_DIR: await round.dataDir() })
  const runtime = await round.open(
    () => openRuntime(settings, openLog('silent'), { supervise: true }),
    (opened) => opened.close(),
  )
  await applyEndpoint(runtime, 'own', ENGINE)
  const server = { spec: program.spec, environment: { PATH: process.env.PATH } }
  await round.open(
    () => startWorker(runtime, { pools: [POOL], server }),
    (worker) => worker.stop(),
  )
  await program.started(1)
  const ready = `select from worker where id = $1 and server->>'state' = 'ready'`
  while ((await runtime.db.pool.query(ready, [runtime.workerId])).rowCount === 0) await wait(50)
  return runtime
}

async function submitAll({ url, apiKey, jobs }: Fleet): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const submit = async (index: number) => {
    const body = JSON.stringify({ inputs: { text: `Text number ${index} of many.`, voice: 'calm' } })
    const answer = await request(`${url}/api/v1/voice/own`, { method: 'POST', headers, body })
    await answer.body.dump()
    if (answer.statusCode !== 202) throw new Error(`a submission was answered with ${answer.statusCode}`)
  }
  await Promise.all(Array.from({ length: jobs }, (_, index) => submit(index)))
}

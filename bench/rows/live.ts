import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'undici'
import { createAccount } from '../../src/accounts/create-account.ts'
import { createApiKey } from '../../src/api-keys/change-api-key.ts'
import { readSettings } from '../../src/context/config.ts'
import { recordProgress } from '../../src/jobs/lifecycle/produce.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { newId } from '../../src/values/id.ts'
import { openLog } from '../../src/values/log.ts'
import { cpuMs } from '../drain-cost.ts'
import type { Environment, Service } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { atMost, type Measure, median, quantile, type Row } from '../measure.ts'

const SUBSCRIBERS = 1000
const { manyAccountsMs: MANY_MS, oneAccountMs: ONE_MS } = GOALS.live
const CHANNEL = 'bench_live'
/** Fields that lead to the text or to other objects. */
const MORE_FIELDS = 'tags voice language textExcerpt apiKey { name } endpoint { __typename }'
const WARM_UP = 10

interface Followed {
  readonly accountId: string
  readonly apiKey: string
  readonly jobId: string
}

/** Milliseconds from the commit to each that heard of it. */
type Change = (marker: number) => Promise<number[]>

/**
 * From the commit of a job's change, which a second process makes as a worker does, to its arrival at subscribers in a third one. 1,000
 * connections of graphql-ws's own client, ten for each of 100 accounts, and then all 1,000 for one account; next to them a bare LISTEN
 * in the same process, notified by a bare NOTIFY. The clients' own work is in the figures: on two cores it is most of what 1,000 take.
 */
export const live: Row = {
  name: 'live',
  what: 'job change committed to subscriber, 1,000 subscribers',
  reach: `p50 <= ${MANY_MS} ms, all for one account <= ${ONE_MS} ms`,
  run: async (environment) => {
    const database = await environment.database()
    const settings = readSettings({ DATABASE_URL: database.url, DATA_DIR: await environment.directory() })
    const runtime = await openRuntime(settings, openLog('warn'), { supervise: false })
    try {
      const many = await Promise.all(Array.from({ length: 100 }, (_nothing, n) => openFollowed(runtime, `live ${n}`)))
      const one = await openFollowed(runtime, 'live one')
      const shapes = [
        await shape(environment, runtime, '10 each of 100 accounts', many, MANY_MS),
        await shape(environment, runtime, 'all of one account', [one], ONE_MS),
        await shape(
          environment,
          runtime,
          'all of one account, with key, endpoint and text',
          [one],
          ONE_MS,
          MORE_FIELDS,
        ),
      ]
      return { name: 'live', measures: shapes.map(({ measure }) => measure), notes: shapes.map(({ note }) => note) }
    } finally {
      await runtime.close()
    }
  },
}

/** An account with a key and a job that a worker has taken. */
async function openFollowed(runtime: Runtime, name: string): Promise<Followed> {
  const operator = runtime.as({ kind: 'system' })
  const { id: accountId } = await createAccount(operator, { name, credits: 1n })
  const { apiKey } = await createApiKey(operator, { account: accountId, name })
  const jobId = newId('job')
  await runtime.db.pool.query(
    `insert into job (id, account_id, type, endpoint_key, status, inputs, cost, attempt, created_at, started_at)
     values ($1, $2, 'voice', 'voice.tts', 'processing', '{"text":"A text.","voice":"aria"}', 0, 1, now(), now())`,
    [jobId, accountId],
  )
  return { accountId, apiKey, jobId }
}

async function shape(
  environment: Environment,
  runtime: Runtime,
  what: string,
  followed: readonly Followed[],
  mostMs: number,
  moreFields = '',
): Promise<{ measure: Measure; note: string }> {
  const service = await environment.serve('serve')
  const keys = Array.from({ length: SUBSCRIBERS }, (_nothing, n) => followed[n % followed.length]!.apiKey)
  const file = join(await environment.directory(), 'keys.json')
  await writeFile(file, JSON.stringify(keys), { mode: 0o600 })
  const variables = {
    DATABASE_URL: runtime.db.url,
    SERVICE_URL: service.url,
    KEYS_FILE: file,
    CHANNEL,
    MORE_FIELDS: moreFields,
  }
  const subscribers = await environment.floor('subscribers', variables)
  const ours: Change = async (marker) => {
    const { accountId, jobId } = followed[marker % followed.length]!
    await recordProgress(runtime, { accountId, jobId, attempt: 1 }, { done: marker, total: marker })
    return arrivals(subscribers, marker, SUBSCRIBERS / followed.length, now())
  }
  const floor: Change = async (marker) => {
    const sent = now()
    await runtime.db.pool.query('select pg_notify($1, $2)', [CHANNEL, String(marker)])
    return arrivals(subscribers, marker, 1, sent)
  }
  const taken = { ours: [] as number[], floor: [] as number[] }
  const changes = environment.quick ? 50 : 300
  let before = [0, 0]
  for (let marker = 1; marker <= 2 * (WARM_UP + changes); marker += 2) {
    const [mine, bare] = [await ours(marker), await floor(marker + 1)]
    if (marker <= 2 * WARM_UP) {
      before = [cpuMs(service.pid), cpuMs(subscribers.pid)]
      continue
    }
    taken.ours.push(...mine)
    taken.floor.push(...bare)
  }
  const [server, clients] = [service, subscribers].map((one, n) => ((cpuMs(one.pid) - before[n]!) / changes).toFixed(1))
  await subscribers.stop()
  await service.stop()
  const [value, bare] = [median(taken.ours), median(taken.floor)]
  return {
    measure: atMost(`${what}, p50`, 'ms', value, mostMs, bare),
    note: `${what}: p95 ${quantile(taken.ours, 0.95).toFixed(1)} ms, p99 ${quantile(taken.ours, 0.99).toFixed(1)} ms; CPU of a change: service ${server} ms, subscribers ${clients} ms`,
  }
}

async function arrivals({ url }: Service, marker: number, count: number, since: number): Promise<number[]> {
  const { body } = await request(`${url}/?marker=${marker}&count=${count}`)
  return ((await body.json()) as number[]).map((at) => at - since)
}

/** Milliseconds since 1970, with fractions: the same in every process. */
const now = (): number => performance.timeOrigin + performance.now()

import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { createAccount } from '../../../src/accounts/create-account.ts'
import { createApiKey } from '../../../src/api-keys/change-api-key.ts'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { type PostgresPair, startPostgresPair } from '../../../test/setup/servers/postgres-pair.ts'
import { type Environment, freePort } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { atMost, type Measure, median, type Row } from '../../measure.ts'
import { launch } from '../../process.ts'

const SUBMITTERS = 4
const JOBS_BEFORE = 50
/** The standby takes no writes for so long: every connection has met it. */
const READ_ONLY_MS = 1_000
const DEADLINE_MS = 60_000
const BODY = JSON.stringify({ inputs: { text: 'Hi', voice: 'aria', language: 'English' } })
const { gapSeconds: MOST_SECONDS } = GOALS.failover

/**
 * A primary with a synchronous standby is killed under four clients that submit without a pause, and the standby promoted a second later:
 * from the order to promote it to the first submission that is taken. The floor is what the promotion itself takes, to which pg_promote adds
 * up to 100 ms, as often as it looks: a gap may be shorter. Both servers run with fsync=off, so that no figure has a disk in it. Once behind
 * a proxy that leads to the server that listens, once with both in DATABASE_URL.
 */
export const failover: Row = {
  name: 'failover',
  what: 'a standby promoted to the first submission taken',
  reach: `<= ${MOST_SECONDS} s`,
  run: async (environment) => {
    const measures = [
      await measured(environment, 'behind a proxy', ({ url }) => url),
      await measured(environment, 'both in DATABASE_URL', ({ primaryUrl, standbyUrl }) =>
        primaryUrl.replace(/\/postgres$/, `,${new URL(standbyUrl).host}/postgres`),
      ),
    ]
    return { name: 'failover', measures, notes: [] }
  },
}

type UrlOf = (pair: PostgresPair) => string

async function measured(environment: Environment, what: string, urlOf: UrlOf): Promise<Measure> {
  const gaps: { readonly gap: number; readonly promotion: number }[] = []
  for (let round = 0; round < (environment.quick ? 1 : 5); round++) gaps.push(await gapOf(environment, urlOf))
  const [value, floor] = [median(gaps.map(({ gap }) => gap)), median(gaps.map(({ promotion }) => promotion))]
  return atMost(what, 's', value, MOST_SECONDS, floor)
}

interface Gap {
  /** Seconds, as the other. */
  readonly gap: number
  readonly promotion: number
}

/** If the round fails, the row closes what the round opened. */
async function gapOf(environment: Environment, urlOf: UrlOf): Promise<Gap> {
  const round = environment.scope()
  const gap = await gapIn(round, urlOf)
  await round.close()
  return gap
}

async function gapIn(round: Environment, urlOf: UrlOf): Promise<Gap> {
  const pair = await round.open(startPostgresPair, ({ close }) => close())
  const variables = { DATABASE_URL: urlOf(pair), DATA_DIR: await round.directory(), LOG_LEVEL: 'fatal' }
  const settings = { ...variables, RATE_LIMIT_PER_MINUTE: '0', PORT: String(await freePort()) }
  const apiKey = await makeKey(variables)
  const service = await round.open(
    () => launch(['bin/sonant.js', 'start'], settings, /^Sonant listens/),
    ({ stop }) => stop(),
  )
  const load = openLoad(/https?:\S+/.exec(service.line)?.[0] ?? '', apiKey)
  round.onClose(load.stop)
  await until(load, JOBS_BEFORE)
  await pair.kill()
  await wait(READ_ONLY_MS)
  const [ordered, before] = [performance.now(), load.taken.length]
  await pair.promote()
  const promotion = (performance.now() - ordered) / 1000
  await until(load, before + 1)
  return { gap: (load.taken[before]! - ordered) / 1000, promotion }
}

export async function makeKey(variables: Readonly<Record<string, string>>): Promise<string> {
  const runtime = await openRuntime(readSettings(variables), openLog('fatal'), { supervise: false })
  try {
    const operator = runtime.as({ kind: 'system' })
    const { id: account } = await createAccount(operator, { name: 'bench', credits: 1_000_000_000n })
    return (await createApiKey(operator, { account, name: 'bench' })).apiKey
  } finally {
    await runtime.close()
  }
}

interface Load {
  /** When each submission was taken. */
  readonly taken: readonly number[]
  /** The first error of a request, or null: the service answers each, also without a database. */
  failure(): Error | null
  stop(): Promise<unknown>
}

function openLoad(url: string, apiKey: string): Load {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const taken: number[] = []
  let isOn = true
  let failure: Error | null = null
  const submit = async () => {
    while (isOn) {
      const { statusCode, body } = await request(`${url}/api/v1/voice/tts`, { method: 'POST', headers, body: BODY })
      await body.dump()
      if (statusCode === 202) taken.push(performance.now())
      else await wait(5)
    }
  }
  const fail = (error: Error) => {
    failure ??= error
  }
  const submitting = Array.from({ length: SUBMITTERS }, () => submit().catch(fail))
  const stop = () => {
    isOn = false
    return Promise.all(submitting)
  }
  return { taken, failure: () => failure, stop }
}

async function until({ taken, failure }: Load, count: number): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  while (taken.length < count) {
    const failed = failure()
    if (failed !== null) throw failed
    if (performance.now() > deadline) throw new Error('the service takes no submission')
    await wait(2)
  }
}

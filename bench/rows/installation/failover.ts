import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { createAccount } from '../../../src/accounts/create-account.ts'
import { createApiKey } from '../../../src/api-keys/create-api-key.ts'
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
 * from the order to promote it to the first submission that is taken. The floor is what the promotion itself takes. Once behind a proxy that
 * leads to whichever server listens, once with both in DATABASE_URL.
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

/** Both in seconds. */
async function gapOf(environment: Environment, urlOf: UrlOf): Promise<{ gap: number; promotion: number }> {
  const pair = await startPostgresPair()
  const variables = { DATABASE_URL: urlOf(pair), DATA_DIR: await environment.directory(), LOG_LEVEL: 'fatal' }
  const settings = { ...variables, RATE_LIMIT_PER_MINUTE: '0', PORT: String(await freePort()) }
  try {
    const apiKey = await makeKey(variables)
    const service = await launch(['bin/sonant.js', 'start'], settings, /^Sonant listens/)
    const load = openLoad(/https?:\S+/.exec(service.line)?.[0] ?? '', apiKey)
    try {
      await until(() => load.taken.length >= JOBS_BEFORE)
      await pair.kill()
      await wait(READ_ONLY_MS)
      const [ordered, before] = [performance.now(), load.taken.length]
      await pair.promote()
      const promotion = (performance.now() - ordered) / 1000
      await until(() => load.taken.length > before)
      return { gap: (load.taken[before]! - ordered) / 1000, promotion }
    } finally {
      await load.stop()
      await service.stop()
    }
  } finally {
    await pair.close()
  }
}

async function makeKey(variables: Readonly<Record<string, string>>): Promise<string> {
  const runtime = await openRuntime(readSettings(variables), openLog('fatal'), { supervise: false })
  try {
    const operator = runtime.as({ kind: 'system' })
    const { id: account } = await createAccount(operator, { name: 'bench', credits: 1_000_000_000n })
    return (await createApiKey(operator, { account, name: 'bench' })).apiKey
  } finally {
    await runtime.close()
  }
}

function openLoad(url: string, apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  /** When each was answered. */
  const taken: number[] = []
  let isOn = true
  const submit = async () => {
    while (isOn) {
      const { statusCode, body } = await request(`${url}/api/v1/voice/tts`, { method: 'POST', headers, body: BODY })
      await body.dump()
      if (statusCode === 202) taken.push(performance.now())
      else await wait(5)
    }
  }
  const submitting = Promise.all(Array.from({ length: SUBMITTERS }, submit))
  const stop = () => {
    isOn = false
    return submitting
  }
  return { taken, stop }
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('the service takes no submission')
    await wait(2)
  }
}

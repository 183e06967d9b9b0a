import { request } from 'undici'
import { startPostgresPair } from '../../../test/setup/servers/postgres-pair.ts'
import { type Environment, freePort } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { latency, median, type Pair, type Row } from '../../measure.ts'
import { launch, type Variables } from '../../process.ts'
import { makeKey } from './failover.ts'

const BODY = JSON.stringify({ inputs: { text: 'Hi', voice: 'aria', language: 'English' } })
const QUERY = JSON.stringify({ query: '{ jobs(first: 1) { totalCount } jobStats { jobs } }' })
const { p50: MOST } = GOALS.readStandby

interface Counts {
  readonly data: {
    readonly jobs: { readonly totalCount: number }
    readonly jobStats: readonly { readonly jobs: number }[]
  }
}

/**
 * A count and a sum right after each submission, with READ_DATABASE_URL; the floor is the same without it, on the same primary. Each
 * answer must have the job that was just submitted.
 */
export const readStandby: Row = {
  name: 'read-standby',
  what: 'counts of a standby right after each submission',
  reach: `<= ${MOST} x floor, none misses the newest job`,
  run: async (environment) => {
    const pair = await environment.open(startPostgresPair, ({ close }) => close())
    await pair.loosen()
    const variables = { DATABASE_URL: pair.primaryUrl, DATA_DIR: await environment.directory(), LOG_LEVEL: 'fatal' }
    const apiKey = await makeKey(variables)
    const own = await serve(environment, { ...variables, READ_DATABASE_URL: pair.standbyUrl })
    const bare = await serve(environment, variables)
    let [submitted, missed] = [0, 0]
    const read = async (url: string) => {
      await post(`${url}/api/v1/voice/tts`, apiKey, BODY)
      submitted++
      const begun = performance.now()
      const { data } = (await post(`${url}/graphql`, apiKey, QUERY)) as Counts
      const ms = performance.now() - begun
      if (data.jobs.totalCount !== submitted || data.jobStats[0]?.jobs !== submitted) missed++
      return ms
    }
    const pairs: Pair[] = []
    for (const url of [own, bare]) await read(url)
    for (let round = 0; round < (environment.quick ? 50 : 500); round++)
      pairs.push({ ours: await read(own), floor: await read(bare) })
    const measured = latency(`p50, ${missed} of ${submitted} missed`, [medians(pairs)], MOST)
    return { name: 'read-standby', measures: [{ ...measured, reached: measured.reached && missed === 0 }], notes: [] }
  },
}

const medians = (pairs: readonly Pair[]): Pair => ({
  ours: median(pairs.map(({ ours }) => ours)),
  floor: median(pairs.map(({ floor }) => floor)),
})

async function serve(environment: Environment, variables: Variables): Promise<string> {
  const settings = { ...variables, RATE_LIMIT_PER_MINUTE: '0', PORT: String(await freePort()) }
  const { line } = await environment.open(
    () => launch(['bin/sonant.js', 'serve'], settings, /^Sonant listens/),
    ({ stop }) => stop(),
  )
  return /https?:\S+/.exec(line)?.[0] ?? ''
}

async function post(url: string, apiKey: string, body: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const answer = await request(url, { method: 'POST', headers, body })
  if (answer.statusCode >= 300) throw new Error(`${url} was answered with ${answer.statusCode}`)
  return answer.body.json()
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillJobRollUp, foldJobRollUp } from '../../../src/jobs/rollup/fold-job-rollup.ts'
import { newId } from '../../../src/values/id.ts'
import { idAt, insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { ask, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

interface Group {
  readonly points: readonly { readonly accepted: number; readonly credits: number; readonly characters: number }[]
  readonly [dimension: string]: unknown
}

interface Series extends Group {
  readonly groups: readonly Group[] | null
  readonly hasMoreGroups: boolean
}

const HOUR_MS = 3_600_000
const START = Date.parse('2026-04-01T00:00:00Z')
const WINDOW = { from: new Date(START), to: new Date(START + 6 * HOUR_MS) }
const POINTS =
  'points { at accepted completed failed waiting waitMs { p50 } runMs { p50 } audioSeconds credits characters }'
const SERIES = `query ($from: DateTime!, $to: DateTime, $by: [JobGroup!], $filter: JobsFilter, $step: SeriesStep = HOUR) {
  jobSeries(from: $from, to: $to, step: $step, groupBy: $by, filter: $filter) {
    ${POINTS} hasMoreGroups groups { type status endpointKey apiKeyId errorCode voice language userId tag ${POINTS} }
  }
}`
const OWN_VOICE = newId('voice')
const NONE = {
  ...{ type: null, status: null, endpointKey: null, apiKeyId: null, errorCode: null },
  ...{ voice: null, language: null, userId: null, tag: null },
}

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

const seriesOf = async (key: string, variables: object): Promise<Series> =>
  (await read<{ jobSeries: Series }>(service.url, key, SERIES, { ...WINDOW, ...variables })).jobSeries

/** Jobs that were accepted, started and ended after so many hours. */
async function put(account: string, fields: JobFields, [accepted, started, ended]: readonly (number | null)[]) {
  const time = (hours: number | null) => (hours === null ? null : new Date(START + hours * HOUR_MS))
  const status = fields.status ?? (ended !== null ? 'completed' : started !== null ? 'processing' : 'queued')
  const id = idAt(time(accepted!)!)
  await insertJob(service.runtime.db, account, {
    ...{ id, cost: '7', inputs: { text: 'häuser' }, ...fields, status },
    ...{ startedAt: time(started!), completedAt: time(ended!) },
  })
}

async function fill() {
  const { account, key, keyId } = await service.createCaller()
  const calm: JobFields = { voice: 'calm', language: 'English', tags: ['a,b', '{x}'], apiKeyId: keyId }
  await put(account, calm, [-2, 1.5, 2.5])
  await put(account, calm, [0.5, 0.6, 0.7])
  await put(account, calm, [3.5, null, null])
  await put(account, { ...calm, tags: ['a,b'] }, [2.5, 2.6, 2.7])
  await put(account, { voice: OWN_VOICE, tags: [] }, [0.1, 4.1, null])
  await put(account, { voice: 'loud', status: 'failed', errorCode: 'JOB_CANCELLED' }, [1.1, null, 5.5])
  await put(account, { type: 'generate', userId: newId('user') }, [1.2, 1.3, 9])
  await put(account, { voice: 'calm' }, [-9, -8, -7])
  await put(account, { voice: 'calm' }, [7, null, null])
  return { account, key }
}

describe('the groups of a series', () => {
  test.each([
    ['VOICE', 'voice', (value: unknown) => ({ voices: [value] })],
    ['TAG', 'tag', (value: unknown) => ({ tags: [value] })],
    ['API_KEY', 'apiKeyId', (value: unknown) => ({ apiKeyIds: [value] })],
    ['STATUS', 'status', (value: unknown) => ({ statuses: [value] })],
    ['LANGUAGE', 'language', (value: unknown) => ({ languages: [value] })],
    ['USER', 'userId', (value: unknown) => ({ userIds: [value] })],
  ])('by %s are the series of a filter by each of its values', async (group, field, filterOf) => {
    const { key } = await fill()
    for (const step of ['HOUR', 'QUARTER_HOUR']) {
      const { groups, hasMoreGroups } = await seriesOf(key, { by: [group], step })
      expect([groups!.length > 1, hasMoreGroups]).toEqual([true, false])
      for (const { points, ...dimensions } of groups!) {
        const value = dimensions[field]
        expect(dimensions).toEqual({ ...NONE, [field]: value })
        if (value !== null) expect((await seriesOf(key, { filter: filterOf(value), step })).points).toEqual(points)
      }
    }
  })

  test('have several dimensions, those with most jobs first, and together every job once', async () => {
    const { key } = await fill()
    const { groups, points } = await seriesOf(key, { by: ['VOICE', 'STATUS', 'VOICE'] })
    const shown = groups!.map(({ voice, status }) => [voice, status])
    expect(shown.slice(0, 1)).toEqual([['calm', 'COMPLETED']])
    expect(shown.slice(1).toSorted()).toEqual(
      [
        ['calm', 'QUEUED'],
        ['loud', 'FAILED'],
        [OWN_VOICE, 'PROCESSING'],
        [null, 'COMPLETED'],
      ].toSorted(),
    )
    const sums = points.map((_, index) => groups!.reduce((sum, group) => sum + group.points[index]!.accepted, 0))
    expect(sums).toEqual(points.map(({ accepted }) => accepted))
  })

  test('are at most 20 and say that there are more', async () => {
    const { account, key } = await service.createCaller()
    for (let n = 0; n < 21; n++) await put(account, { voice: `voice ${n}` }, [n / 10, null, null])
    await put(account, { voice: 'voice 20' }, [1, null, null])
    const { groups, hasMoreGroups } = await seriesOf(key, { by: ['VOICE'] })
    expect([groups!.length, hasMoreGroups, groups![0]!.voice]).toEqual([20, true, 'voice 20'])
    const some = await seriesOf(key, { by: ['VOICE'], filter: { not: { voices: ['voice 1'] } } })
    expect([some.groups!.length, some.hasMoreGroups]).toEqual([20, false])
  })

  test('are null without groupBy and none without jobs', async () => {
    const { key } = await service.createCaller()
    expect(await seriesOf(key, {})).toMatchObject({ groups: null, hasMoreGroups: false })
    expect(await seriesOf(key, { by: ['TAG'] })).toMatchObject({ groups: [], hasMoreGroups: false })
  })

  test.each(['HOUR', 'DAY'])('by %s are refused', async (group) => {
    const { key } = await service.createCaller()
    const { errors } = await ask(service.url, key, SERIES, { ...WINDOW, by: [group] })
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_REQUEST', details: [{ path: '/groupBy' }] })
  })

  test('are too many for one query where each has thousands of points', async () => {
    const { key } = await service.createCaller()
    const { errors } = await ask(service.url, key, SERIES, { from: new Date(START), by: ['VOICE'], step: 'MINUTE' })
    expect(JSON.stringify(errors)).toContain('fields')
  })
})

test('credits and characters of a step are those that jobStats has of its hour, from the sums and from the jobs', async () => {
  const { key } = await fill()
  while (!(await fillJobRollUp(service.runtime.db)));
  const createdAt = WINDOW
  const query = `query ($createdAt: TimeRange) { jobStats(groupBy: [HOUR], filter: { createdAt: $createdAt }) { hour credits characters } }`
  const { jobStats } = await read<{ jobStats: { hour: string }[] }>(service.url, key, query, { createdAt })
  const hours = Object.fromEntries(jobStats.map(({ hour, ...sums }) => [hour, sums]))
  const expectHours = async (filter: object | null) => {
    const { points } = await seriesOf(key, { filter })
    expect(points.map(({ at, credits, characters }: Record<string, unknown>) => [at, { credits, characters }])).toEqual(
      points.map(({ at }: Record<string, unknown>) => [at, hours[at as string] ?? { credits: 0, characters: 0 }]),
    )
  }
  for (const filter of [
    null,
    { types: ['VOICE', 'GENERATE'] },
    { endpointKeys: ['voice.tts', 'generate.portrait'] },
    { idPrefix: 'job_' },
  ])
    await expectHours(filter)
  await foldJobRollUp(service.runtime.db)
  await expectHours(null)
})

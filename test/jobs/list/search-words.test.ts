import { afterAll, beforeAll, expect, test } from 'vitest'
import { allJobs } from '../../../src/jobs/list/jobs.ts'
import { MAX_SEARCHED_JOBS } from '../../../src/jobs/list/search-words.ts'
import { idAt, insertJob } from '../../setup/jobs/jobs.ts'
import { ask, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { openSocketClient } from '../../setup/service/subscriber.ts'
import { until } from '../../setup/wait.ts'

interface Found {
  readonly jobs: { readonly edges: readonly { readonly node: { readonly id: string } }[]; readonly totalCount: number }
  readonly jobStats: readonly { readonly jobs: number }[]
}

const FOUND = `query ($filter: JobsFilter) {
  jobs(filter: $filter) { edges { node { id } } totalCount }
  jobStats(filter: $filter) { jobs }
}`
const TEXTS = [
  'The train to the coast departs from platform four.',
  'Ärger mit dem Zug: ÜBER die Straße (links) nach “Köln”.',
  '明日の天気は晴れです。電車で海へ行きましょう。',
  'Поезд отправляется в десять минут. 100% [pause:1s] "quoted" a\\b .*',
  '기차는 네 번 승강장에서 출발합니다.',
  'Ein Café in Ōsaka, 서울.'.normalize('NFD'),
  'ΟΔΥΣΣΕΎΣ, GROSS und Straẞe: İstanbul, ısparta, ﬁnal, they don’t.',
]
const start = Date.now() - 3_600_000

let service: TestRuntime
let account: string
let key: string
let ids: string[]
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  ;({ account, key } = await service.createCaller())
  const other = await service.createAccount()
  ids = []
  for (const [index, text] of TEXTS.entries()) {
    const job = { id: idAt(new Date(start + index * 1000)), inputs: { text, voice: 'zebra' } }
    ids.push(
      await insertJob(service.runtime.db, account, { ...job, tags: index < 2 ? ['rail', `n${index}`] : ['rail'] }),
    )
    await insertJob(service.runtime.db, other, { inputs: job.inputs })
  }
  await insertJob(service.runtime.db, account, { type: 'generate', inputs: { text: TEXTS[0] } })
})
afterAll(() => service.close())

async function found(filter: object): Promise<number[]> {
  const { jobs, jobStats } = await read<Found>(service.url, key, FOUND, { filter })
  const places = jobs.edges.map(({ node }) => ids.indexOf(node.id)).toReversed()
  expect([jobs.totalCount, jobStats[0]?.jobs]).toEqual([places.length, places.length])
  return places
}

test.for<[words: string, places: number[]]>([
  ['coast', [0]],
  ['PLATFORM  train', [0]],
  ['train zug', []],
  ['atfor', [0]],
  ['ärger', [1]],
  ['über STRAßE (links)', [1]],
  ['“köln”', [1]],
  ['電車', [2]],
  ['ПОЕЗД минут', [3]],
  ['100% [PAUSE:1s]', [3]],
  ['a\\b', [3]],
  ['"quoted" .*', [3]],
  ['.', [0, 1, 3, 4, 5, 6]],
  ['승강장', [4]],
  ['승강장'.normalize('NFD'), [4]],
  ['CAFÉ ōsaka', [5]],
  ['café'.normalize('NFD'), [5]],
  ['서울', [5]],
  ['STRASSE', [1, 6]],
  ['straße', [1, 6]],
  ['groß', [6]],
  ['οδυσσεύς', [6]],
  ['οδυσσεύσ'.normalize('NFD'), [6]],
  ['istanbul ISPARTA', [6]],
  ['İSTANBUL', [6]],
  ['Final', [6]],
  ["DON'T", [6]],
  ['zebra', []],
])('"%s" finds the texts of the own account that contain each word', async ([words, places]) => {
  expect(await found({ words })).toEqual(places)
})

test('words go with the other filters, and a negation leaves out what they find', async () => {
  expect(await found({ words: 'e', tags: ['n0', 'n1'] })).toEqual([0, 1])
  expect(await found({ words: 'e', and: [{ tags: ['rail'] }, { tags: ['n1'] }] })).toEqual([1])
  expect(await found({ types: ['VOICE'], not: { words: 'train' } })).toEqual([1, 2, 3, 4, 5, 6])
  expect(await found({ words: 'e', createdAt: { to: new Date(start + 1000) } })).toEqual([0])
})

test('words out of bounds are refused, and those of subscriptions, series and all accounts', async () => {
  const refused = async (query: string) => {
    const { extensions } = (await ask(service.url, key, query)).errors?.[0] ?? {}
    return [extensions?.code, extensions?.details?.[0]?.path]
  }
  const invalid = ['INVALID_REQUEST', '/filter/words']
  for (const words of [' ', 'a '.repeat(11), 'a'.repeat(201), '\u0000'])
    expect(await refused(`{ jobs(filter: { words: ${JSON.stringify(words)} }) { totalCount } }`)).toEqual(invalid)
  const some = (from: number, count: number) => Array.from({ length: count }, (_nothing, n) => `w${from + n}`).join(' ')
  const spread = (last: number) =>
    `{ words: "${some(0, 4)}", or: [{ words: "${some(4, 3)}" }, { not: { words: "${some(7, last)}" } }] }`
  expect(await refused(`{ jobs(filter: ${spread(4)}) { totalCount } }`)).toEqual(invalid)
  expect(await refused(`{ jobs(filter: ${spread(3)}) { totalCount } }`)).toEqual([undefined, undefined])
  const series = 'jobSeries(from: "2026-01-01T00:00:00Z", step: HOUR, filter: { or: [{ words: "a" }] }) { step }'
  expect(await refused(`{ ${series} }`)).toEqual(invalid)
  const client = openSocketClient(service.url, key)
  const heard = client.subscribe('subscription { jobChanges(filter: { words: "a" }) { removedIds } }')
  await until(() => heard.errors.length > 0, 30_000, 'a refusal')
  expect(JSON.stringify(heard.errors)).toContain('/filter/words')
  await client.dispose()
  const operator = service.runtime.as({ kind: 'system' })
  for (const owner of [{}, { account }])
    await expect(allJobs(operator, { ...owner, filter: { words: 'a' } })).rejects.toThrow(/own account/)
})

test('a list looks through the newest jobs of its time', async () => {
  const caller = await service.createCaller()
  const at = (ms: number) => idAt(new Date(start + ms))
  const first = await insertJob(service.runtime.db, caller.account, { id: at(0), inputs: { text: 'a needle' } })
  await service.runtime.db.pool.query(
    `insert into job (id, account_id, type, endpoint_key, status, inputs, created_at, completed_at)
     select $1 || lpad(i::text, 16, '0'), $2, 'voice', 'voice.tts', 'completed', '{"text": "hay"}', $3, $3 from generate_series(1, $4::int) i`,
    [at(5000).slice(0, -16), caller.account, new Date(start + 5000), MAX_SEARCHED_JOBS],
  )
  const search = async (filter: object) =>
    (await read<Found>(service.url, caller.key, FOUND, { filter })).jobs.edges.map(({ node }) => node.id)
  expect(await search({ words: 'needle' })).toEqual([])
  expect(await search({ words: 'needle', createdAt: { to: new Date(start + 4000) } })).toEqual([first])
})

test("an account's searches run one at a time, as every scan does", async () => {
  const { scanShares } = service.runtime.db
  const release = await scanShares.acquire(account)
  try {
    const { errors } = await ask(service.url, key, '{ jobs(filter: { words: "train" }) { edges { cursor } } }')
    expect(errors?.[0]?.extensions?.code).toBe('RATE_LIMITED')
  } finally {
    release()
  }
  expect(await found({ words: 'train' })).toEqual([0])
})

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../src/values/id.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { allFinished, applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { ask, codeOf, errorOf, type GraphqlAnswer, mutation, REFUSED, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { standInEngines } from '../setup/speech/stand-in-engine.ts'

const CREATE = `mutation ($name: String!, $settings: SpeechSettingsInput, $speakers: [ProjectSpeakerInput!], $chapters: [ProjectChapterInput!]) {
  createProject(name: $name, settings: $settings, speakers: $speakers, chapters: $chapters) { ... on Project { id } ${REFUSED} } }`
const SAVE = mutation(
  'saveProject(id: $id, revision: $revision, name: $name, chapters: $chapters)',
  '... on Project { revision }',
  '($id: ID!, $revision: Int!, $name: String, $chapters: [ProjectChapterInput!])',
)
const SPEAK = mutation(
  'speakParagraphs(id: $id, paragraphs: $paragraphs, idempotencyKey: $idempotencyKey, priority: $priority)',
  '... on SpeakParagraphsSuccess { remaining results { key jobId job { id status tags } error { code message details { path } } } project { id } }',
  '($id: ID!, $paragraphs: [String!], $idempotencyKey: String, $priority: JobPriority)',
)
const SUBMIT = mutation(
  'submitVoiceJob(slug: "quick", inputs: { text: "Ten signs.", voice: "calm" })',
  '... on VoiceJobSubmission { jobId }',
)
const CHOOSE = mutation(
  'chooseTake(id: $id, paragraph: $paragraph, job: $job)',
  '... on Project { id }',
  '($id: ID!, $paragraph: String!, $job: ID!)',
)
const TAKES = `query ($id: ID!) { project(id: $id) { revision chapters { key spokenCount paragraphs {
  key takes { jobId job { status } isChosen isCurrent } } } } }`

interface Spoken {
  readonly remaining: number
  readonly results: readonly {
    readonly key: string
    readonly jobId: string | null
    readonly job: { readonly tags: readonly string[] } | null
    readonly error: { readonly code: string; readonly message: string; readonly details: { path: string }[] } | null
  }[]
}

interface Take {
  readonly jobId: string
  readonly job: { readonly status: string } | null
  readonly isChosen: boolean
  readonly isCurrent: boolean
}

let service: TestRuntime
let [key, account] = ['', '']
beforeAll(async () => {
  service = await startTestRuntime()
  const voices = ['calm', 'bold'].map((slug) => ({ slug, name: slug, kind: 'preset', engine_voice: 'en-us+f3' }))
  await applyEndpoint(service.runtime, 'quick', { pool: 'quick' }, { voices })
  ;({ key, account } = await service.createCaller())
})
afterAll(() => service?.close())

const first = <T>({ data, errors }: GraphqlAnswer<Record<string, T>>): T => {
  if (errors !== undefined || data === null) throw new Error(JSON.stringify(errors))
  return Object.values(data)[0]!
}
const run = (sql: string, values: unknown[]) => service.runtime.db.pool.query(sql, values)
const send = <T = { id: string }>(query: string, variables: object, by = key) =>
  ask<Record<string, T>>(service.url, by, query, variables)
const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ key: `p${at}`, text: `Line ${String(at).padStart(4, '0')}.` }))
const create = async (input: object = {}, by = key): Promise<string> =>
  first(
    await send(
      CREATE,
      {
        ...{ name: 'Book', settings: { endpoint: 'quick', voice: 'calm' } },
        chapters: [{ key: 'c', paragraphs: paragraphs(2) }],
        ...input,
      },
      by,
    ),
  ).id
const speak = async (id: string, input: object = {}, by = key) => first(await send<Spoken>(SPEAK, { id, ...input }, by))
const idsOf = ({ results }: Spoken) => results.flatMap(({ jobId }) => jobId ?? [])
const shown = async (id: string) =>
  (
    await read<{
      project: { revision: number; chapters: { spokenCount: number; paragraphs: { key: string; takes: Take[] }[] }[] }
    }>(service.url, key, TAKES, { id })
  ).project
const takesOf = async (id: string, paragraph: string): Promise<Take[]> =>
  (await shown(id)).chapters.flatMap((one) => one.paragraphs).find((one) => one.key === paragraph)!.takes

/** Has a worker complete these jobs. */
async function complete(ids: readonly string[]): Promise<void> {
  const worker = await startWorker(service.runtime, { pools: ['quick'], engines: standInEngines(() => undefined) })
  await allFinished(service.runtime, ids)
  await worker.stop()
}

const fail = (ids: readonly string[]) =>
  run(`update job set status = 'failed', error_code = 'RENDER_FAILED', completed_at = now() where id = any($1)`, [ids])

describe('speakParagraphs', () => {
  test('submits each paragraph with its own settings, else those above it, and the name of the project as the tag', async () => {
    const id = await create({
      name: `Tom\tSawyer ${'x'.repeat(70)}`,
      settings: { endpoint: 'quick', voice: 'calm', inputs: {} },
      speakers: [{ name: 'TOM', settings: { voice: 'bold' } }],
      chapters: [
        {
          ...{ key: 'c', settings: { voice: 'bold' } },
          paragraphs: [
            { key: 'a', text: 'One.' },
            { key: 'b', text: 'Two.', settings: { voice: 'calm' } },
          ],
        },
        {
          key: 'd',
          paragraphs: [
            { key: 'e', text: 'Three.' },
            { key: 'f', text: 'Four.', speaker: 'TOM' },
          ],
        },
      ],
    })
    const spoken = await speak(id, { priority: 'INTERACTIVE' })
    expect([spoken.remaining, spoken.results.map((one) => one.key)]).toEqual([0, ['a', 'b', 'e', 'f']])
    const { rows } = await run('select inputs, options, tags from job where id = any($1) order by id', [idsOf(spoken)])
    const voiceOf = new Map(rows.map(({ inputs }) => [inputs.text, inputs.voice]))
    expect(Object.fromEntries(voiceOf)).toEqual({ 'One.': 'bold', 'Two.': 'calm', 'Three.': 'calm', 'Four.': 'bold' })
    expect(rows[0]).toMatchObject({
      options: { priority: 'interactive' },
      tags: [`Tom Sawyer ${'x'.repeat(53)}`],
    })
    const again = await speak(id)
    expect([again.results, again.remaining]).toEqual([[], 0])
  })

  test('takes no voice or input from above where a chapter names another endpoint', async () => {
    const voices = ['tall', 'small'].map((slug) => ({ slug, name: slug, kind: 'preset', engine_voice: 'en-us' }))
    await applyEndpoint(service.runtime, 'other', { pool: 'quick' }, { voices })
    const id = await create({
      settings: { endpoint: 'quick', voice: 'bold', inputs: { volume: 0.5 } },
      chapters: [{ key: 'c', settings: { endpoint: 'other' }, paragraphs: paragraphs(1) }],
    })
    const spoken = await speak(id)
    expect(spoken.results.map(({ error }) => error)).toEqual([null])
    const { rows } = await run('select inputs, endpoint_key from job where id = any($1)', [idsOf(spoken)])
    expect(rows).toEqual([{ endpoint_key: 'voice.other', inputs: { text: 'Line 0000.', voice: 'tall' } }])
  })

  test('submits the first hundred of a long text, and says how many are left', async () => {
    const id = await create({ chapters: [{ key: 'c', paragraphs: paragraphs(130) }] })
    const calls = [await speak(id), await speak(id), await speak(id)]
    expect(calls.map(({ results, remaining }) => [results.length, results[0]?.key, remaining])).toEqual([
      [100, 'p0', 30],
      [30, 'p100', 0],
      [0, undefined, 0],
    ])
    expect(new Set(calls.flatMap(idsOf)).size).toBe(130)
  })

  test('makes one job of each paragraph for two people who speak the rest at once, and others once these have failed', async () => {
    const id = await create({ chapters: [{ key: 'c', paragraphs: paragraphs(20) }] })
    const both = await Promise.all([speak(id), speak(id)])
    const made = new Set(both.flatMap(idsOf))
    expect(made.size).toBe(20)
    expect(both.map(({ remaining }) => remaining)).toEqual([0, 0])
    await fail([...made])
    const again = idsOf(await speak(id))
    expect(again.filter((job) => !made.has(job))).toHaveLength(20)
  })

  test('speaks a paragraph again once its text or a setting has changed, also in another chapter', async () => {
    const id = await create()
    const [one, two] = idsOf(await speak(id))
    const chapters = [
      { key: 'new', paragraphs: [{ key: 'p1', text: 'Line 0001.' }] },
      { key: 'c', paragraphs: [{ key: 'p0', text: 'Changed.' }] },
    ]
    await send(SAVE, { id, revision: 1, chapters })
    expect(await takesOf(id, 'p0')).toMatchObject([{ jobId: one, isCurrent: false }])
    expect(await takesOf(id, 'p1')).toMatchObject([{ jobId: two, isCurrent: true, job: { status: 'QUEUED' } }])
    const again = await speak(id)
    expect(again.results.map((result) => result.key)).toEqual(['p0'])
    expect((await takesOf(id, 'p0')).map(({ isCurrent }) => isCurrent)).toEqual([true, false])
    const louder = [{ key: 'new', settings: { voice: 'bold' } }, { key: 'c' }]
    await send(SAVE, { id, revision: 2, chapters: louder })
    expect((await speak(id)).results.map((result) => result.key)).toEqual(['p1'])
    expect((await shown(id)).revision).toBe(3)
  })

  test.each<[string, string[] | undefined]>([
    ['the rest', undefined],
    ['named paragraphs', paragraphs(20).map((one) => one.key)],
  ])('makes one job of each of %s for two calls with keys of their own, at once and later', async (_title, named) => {
    const id = await create({ chapters: [{ key: 'c', paragraphs: paragraphs(20) }] })
    const asked = (name: string, priority = 'BATCH') =>
      speak(id, { paragraphs: named, idempotencyKey: `${id} ${name}`, priority })
    const both = await Promise.all([asked('one'), asked('two', 'INTERACTIVE')])
    const made = new Set(both.flatMap(idsOf))
    expect([made.size, both.flatMap(({ results }) => results).filter(({ error }) => error !== null)]).toEqual([20, []])
    await asked('three')
    const { rows } = await run('select count(distinct job_id)::int as count from project_take where project_id = $1', [
      id,
    ])
    expect(rows).toEqual([{ count: 20 }])
  })

  test('speaks named paragraphs anew, and forgets takes without audio first, then the oldest', async () => {
    const id = await create()
    const take = async () => idsOf(await speak(id, { paragraphs: ['p0', 'p0'] }))[0]!
    const good = await take()
    await complete([good])
    const failed: string[] = []
    for (let n = 0; n < 22; n++) {
      failed.push(await take())
      await fail(failed.slice(-1))
    }
    expect(new Set(failed).size).toBe(22)
    const shown = (await takesOf(id, 'p0')).map(({ jobId, isChosen }) => [jobId, isChosen])
    expect(shown).toEqual([
      ...failed
        .slice(-19)
        .toReversed()
        .map((job) => [job, false]),
      [good, true],
    ])
    expect((await speak(id)).results.map((one) => one.key)).toEqual(['p1'])
  })

  test('speaks each paragraph once for one idempotency key, and refuses a changed one alone', async () => {
    const id = await create()
    const input = { paragraphs: ['p0', 'p1'], idempotencyKey: 'k' }
    const both = await Promise.all([speak(id, input), speak(id, input)])
    expect(idsOf(both[0])).toEqual(idsOf(both[1]))
    expect((await takesOf(id, 'p0')).map(({ jobId }) => jobId)).toEqual([idsOf(both[0])[0]])
    await fail(idsOf(both[0]))
    await send(SAVE, { id, revision: 1, name: 'Renamed by somebody' })
    expect(idsOf(await speak(id, input))).toEqual(idsOf(both[0]))
    const chapters = [{ key: 'c', paragraphs: [{ key: 'p0', text: 'New.' }, ...paragraphs(2).slice(1)] }]
    await send(SAVE, { id, revision: 2, chapters })
    const { results } = await speak(id, input)
    expect(results.map(({ jobId, error }) => error?.code ?? jobId)).toEqual(['IDEMPOTENCY_MISMATCH', idsOf(both[0])[1]])
  })

  test('refuses each paragraph that cannot be spoken, with the reason, and submits the others', async () => {
    const restricted = { required_scope: 'stage:play' }
    await applyEndpoint(service.runtime, 'stage', { pool: 'quick' }, restricted)
    const actor = (await service.createKey(account, ['generate:voice', 'job:read', 'stage:play'])).apiKey
    const line = (at: string, settings: object, text = `Line ${at}.`) => ({ key: at, text, settings })
    const input = {
      settings: {},
      chapters: [
        {
          key: 'c',
          paragraphs: [
            line('none', {}),
            line('restricted', { endpoint: 'stage', voice: 'calm' }),
            line('good', { endpoint: 'quick', voice: 'bold' }),
            line('input', { endpoint: 'quick', voice: 'calm', inputs: { volume: 11 } }),
            line('long', { endpoint: 'quick', voice: 'calm' }, 'a'.repeat(501)),
          ],
        },
      ],
    }
    const id = await create(input, actor)
    const { results, remaining } = await speak(id)
    expect(results.map(({ jobId, error }) => error?.details[0]?.path ?? error?.code ?? (jobId && 'made'))).toEqual([
      '/settings/endpoint',
      '/settings/endpoint',
      'made',
      '/inputs/volume',
      '/inputs/text',
    ])
    expect(remaining).toBe(0)
    expect(idsOf(await speak(id, {}, actor))).toHaveLength(1)
    expect(codeOf(await send(CREATE, { name: 'No', ...input }))).toBe('INVALID_REQUEST')
  })

  test('walks past paragraphs that it refuses, and leaves them out of those that remain', async () => {
    const long = Array.from({ length: 140 }, (_, at) => ({ key: `long${at}`, text: 'a'.repeat(501) }))
    const id = await create({ chapters: [{ key: 'c', paragraphs: [...long, ...paragraphs(5)] }] })
    const { results, remaining } = await speak(id)
    const keys = (isMade: boolean) => results.filter(({ error }) => (error === null) === isMade).map((one) => one.key)
    expect([keys(true), keys(false), remaining]).toEqual([
      paragraphs(5).map((one) => one.key),
      long.slice(0, 100).map((one) => one.key),
      0,
    ])
  })

  test('makes no more jobs than the balance pays, with those that wait', async () => {
    const poor = await service.createCaller(35n)
    const id = await create({ chapters: [{ key: 'c', paragraphs: paragraphs(6) }] }, poor.key)
    const codesOf = ({ results }: Spoken) => results.map(({ error }) => error?.code ?? 'made').toSorted()
    const first = await speak(id, {}, poor.key)
    expect([codesOf(first), first.remaining]).toEqual([
      [...Array(3).fill('PAYMENT_REQUIRED'), ...Array(3).fill('made')],
      3,
    ])
    const again = await speak(id, { paragraphs: ['p0', 'p5'] }, poor.key)
    expect([codesOf(again), again.remaining]).toEqual([['PAYMENT_REQUIRED', 'made'], 3])
    const { rows } = await run('select sum(cost)::int as cost from job where account_id = $1', [poor.account])
    expect(rows).toEqual([{ cost: 30 }])
  })

  test('makes no more jobs than the balance pays for two projects at once, with those of other doors that wait', async () => {
    const poor = await service.createCaller(65n)
    const [one, other] = [
      await create({ chapters: [{ key: 'c', paragraphs: paragraphs(40) }] }, poor.key),
      await create({ chapters: [{ key: 'c', paragraphs: paragraphs(40) }] }, poor.key),
    ]
    const both = await Promise.all([one, other].map((id) => speak(id, {}, poor.key)))
    expect(both.flatMap(idsOf)).toHaveLength(6)
    const codes = new Set(both.flatMap(({ results }) => results.map(({ error }) => error?.code)))
    expect(codes).toEqual(new Set([undefined, 'PAYMENT_REQUIRED']))
    await run(`update account set credits = credits + 35 where id = $1`, [poor.account])
    expect((await send(SUBMIT, {}, poor.key)).errors).toBeUndefined()
    const later = await Promise.all([one, other].map((id) => speak(id, {}, poor.key)))
    expect(later.flatMap(idsOf)).toHaveLength(3)
    const { rows } = await run('select sum(cost)::int as cost from job where account_id = $1', [poor.account])
    expect(rows).toEqual([{ cost: 100 }])
  })

  test('keeps what was submitted before the money ended, and says what was not', async () => {
    const { apiKey, apiKeyId } = await service.createKey(account)
    await run('update api_key set monthly_limit = 50 where id = $1', [apiKeyId])
    const id = await create({ chapters: [{ key: 'c', paragraphs: paragraphs(8) }] }, apiKey)
    const { results, remaining } = await speak(id, {}, apiKey)
    const codes = results.map(({ error }) => error?.code ?? 'made')
    expect(codes.toSorted()).toEqual([...Array(3).fill('PAYMENT_REQUIRED'), ...Array(5).fill('made')])
    expect(remaining).toBe(3)
    expect((await shown(id)).chapters[0]!.paragraphs.filter(({ takes }) => takes.length === 1)).toHaveLength(5)
    await run('update api_key set monthly_limit = null where id = $1', [apiKeyId])
    const rest = await speak(id, {}, apiKey)
    expect([rest.results.length, rest.remaining]).toEqual([3, 0])
  })

  test.each<[string, object, string]>([
    ['an unknown paragraph', { paragraphs: ['p0', 'nobody'] }, '/paragraphs/1'],
    ['none', { paragraphs: [] }, '/paragraphs'],
    ['more than a hundred', { paragraphs: Array.from({ length: 101 }, (_, at) => `p${at}`) }, '/paragraphs'],
    ['a long idempotency key', { idempotencyKey: 'k'.repeat(191) }, '/idempotencyKey'],
  ])('says what is wrong with %s, and makes no job', async (_title, input, path) => {
    const id = await create()
    const answer = await send(SPEAK, { id, ...input })
    expect([errorOf(answer)?.code, errorOf(answer)?.details[0]?.path]).toEqual(['INVALID_REQUEST', path])
    expect(await takesOf(id, 'p0')).toEqual([])
  })

  test('and chooseTake find no project of another account, and need the scopes generate:voice and job:read', async () => {
    const id = await create()
    const [job] = idsOf(await speak(id))
    const other = await service.createCaller()
    const reader = await service.createKey(account, ['job:read'])
    const writer = await service.createKey(account, ['generate:voice'])
    for (const [query, input] of [
      [SPEAK, { id }],
      [CHOOSE, { id, paragraph: 'p0', job }],
    ] as const) {
      expect(codeOf(await send(query, input, other.key))).toBe('NOT_FOUND')
      for (const { apiKey } of [reader, writer]) expect(codeOf(await send(query, input, apiKey))).toBe('FORBIDDEN')
    }
  })
})

describe('the take that plays', () => {
  const chosen = async (id: string) => (await takesOf(id, 'p0')).find(({ isChosen }) => isChosen)?.jobId
  const choose = (id: string, job: string, paragraph = 'p0') => send(CHOOSE, { id, paragraph, job })

  test('is the newest one with audio, or the one that was chosen since', async () => {
    const id = await create()
    const take = async () => idsOf(await speak(id, { paragraphs: ['p0'] }))[0]!
    const one = await take()
    expect(await chosen(id)).toBeUndefined()
    await complete([one])
    const two = await take()
    await complete([two])
    expect(await chosen(id)).toBe(two)
    expect(first(await choose(id, one))).toEqual({ id })
    expect(await chosen(id)).toBe(one)
    expect((await shown(id)).chapters[0]!.spokenCount).toBe(1)
    const three = await take()
    expect(await chosen(id)).toBe(one)
    await complete([three])
    expect(await chosen(id)).toBe(three)
    const unfinished = await take()
    for (const _state of ['queued', 'failed']) {
      expect(errorOf(await choose(id, unfinished))?.details).toEqual([{ path: '/job', message: 'has no audio' }])
      await fail([unfinished])
    }
    expect(await chosen(id)).toBe(three)
    await choose(id, two)
    const owner = (await service.createKey(account, ['account:admin'])).apiKey
    await send(mutation('deleteJob(id: $id)', '... on DeleteJobSuccess { id }', '($id: ID!)'), { id: two }, owner)
    expect((await takesOf(id, 'p0')).map(({ jobId, isChosen }) => [jobId, isChosen])).toEqual([
      [unfinished, false],
      [three, true],
      [one, false],
    ])
    for (const [job, paragraph] of [
      [two.replace(/.$/, '0'), 'p0'],
      [one, 'p1'],
      ['x', 'p0'],
    ] as const)
      expect(errorOf(await choose(id, job, paragraph))?.details[0]?.path).toBe('/job')
  })

  test('and the newest one are all that an answer has of the paragraphs beyond 4,000 takes', async () => {
    const id = await create({ chapters: [{ key: 'c', paragraphs: paragraphs(250) }] })
    const [job] = idsOf(await speak(id, { paragraphs: ['p249'] }))
    await complete([job!])
    const failed: string[] = []
    for (let n = 0; n < 20; n++) failed.push(await insertJob(service.runtime.db, account, { status: 'failed' }))
    await run(
      `insert into project_take (project_id, paragraph, job_id, fingerprint)
       select $1, 'p' || place, id, 'old' from generate_series(0, 249) place, unnest($2::text[]) id`,
      [id, failed],
    )
    const counts = (await shown(id)).chapters[0]!.paragraphs.map(({ takes }) => takes.length)
    expect(counts).toEqual([...Array(200).fill(20), ...Array(49).fill(1), 2])
    expect((await takesOf(id, 'p249')).map(({ jobId, isChosen }) => [jobId, isChosen])).toEqual([
      [failed.at(-1), false],
      [job, true],
    ])
  })

  test('is spoken anew when its audio was deleted', async () => {
    const id = await create({ chapters: [{ key: 'c', paragraphs: paragraphs(1) }] })
    const spoken = idsOf(await speak(id))
    await complete(spoken)
    expect((await speak(id)).results).toEqual([])
    await run('update artifact set deleted_at = now() where job_id = any($1)', [spoken])
    expect((await shown(id)).chapters[0]).toMatchObject({
      spokenCount: 0,
      paragraphs: [{ takes: [{ isChosen: false }] }],
    })
    expect((await speak(id)).results).toHaveLength(1)
  })

  test('stays a job when its project is deleted', async () => {
    const id = await create()
    const [job] = idsOf(await speak(id))
    const owner = (await service.createKey(account, ['account:admin'])).apiKey
    await send(mutation('deleteProject(id: $id)', '... on DeleteProjectSuccess { id }', '($id: ID!)'), { id }, owner)
    expect(await read(service.url, key, `{ job(id: "${job}") { status tags } }`)).toEqual({
      job: { status: 'QUEUED', tags: ['Book'] },
    })
  })
})

describe('a list of projects', () => {
  const LIST = 'query ($first: Int) { projects(first: $first) { nodes { id chapterCount spokenCount } } }'
  interface Row {
    readonly id: string
    readonly chapterCount: number
    readonly spokenCount: number
  }

  /** The rows of a page, and the statements that read projects, takes and jobs for it. */
  async function listed(first: number, by: string): Promise<{ nodes: readonly Row[]; statements: number }> {
    const query = vi.spyOn(pg.Client.prototype, 'query')
    try {
      const { projects } = await read<{ projects: { nodes: Row[] } }>(service.url, by, LIST, { first })
      const texts = query.mock.calls.map(([statement]: unknown[]) =>
        typeof statement === 'string' ? statement : ((statement as { text?: string }).text ?? ''),
      )
      return { ...projects, statements: texts.filter((text) => /\b(project|project_take|job)\b/.test(text)).length }
    } finally {
      query.mockRestore()
    }
  }

  test('counts what is spoken of a page of 50 with as many statements as of one', async () => {
    const caller = await service.createCaller()
    const chapters = [
      { key: 'c', paragraphs: paragraphs(2) },
      { key: 'd', paragraphs: [{ key: 'e', text: 'One more.' }] },
    ]
    const id = await create({ chapters }, caller.key)
    await complete(idsOf(await speak(id, { paragraphs: ['p0', 'e'] }, caller.key)))
    const copies = Array.from({ length: 49 }, () => newId('prj'))
    const columns = 'name, settings, speakers, characters, paragraphs, created_at, updated_at, held_since'
    await run(
      `insert into project (id, account_id, chapters, ${columns})
       select copy, account_id, replace(chapters::text, 'One more.', 'Another.')::json, ${columns} from project, unnest($2::text[]) copy where id = $1`,
      [id, copies],
    )
    await run(
      `insert into project_take (project_id, paragraph, job_id, fingerprint)
       select copy, paragraph, job_id, fingerprint from project_take, unnest($2::text[]) copy where project_id = $1`,
      [id, copies],
    )
    const [one, page] = [await listed(1, caller.key), await listed(50, caller.key)]
    expect(page.nodes).toHaveLength(50)
    for (const row of page.nodes)
      expect(row).toEqual({ id: row.id, chapterCount: 2, spokenCount: row.id === id ? 2 : 1 })
    expect(page.statements).toBe(one.statements)
    expect(page.statements).toBeLessThanOrEqual(6)
  })
})

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { idTime, newId } from '../../../src/values/id.ts'
import { idAt, insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { ask, codeOf, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

interface Page {
  jobs: {
    edges: { cursor: string; node: { id: string; __typename: string } }[]
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
    totalCount: number
  }
}

const PAGE = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: JobsFilter, $orderBy: JobOrder) {
  jobs(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
    edges { cursor node { id __typename } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount
  }
}`

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

/** Jobs of an account of their own, a second apart, the first one the oldest. */
async function fill(jobs: readonly JobFields[]) {
  const caller = await service.createCaller()
  const start = Date.now() - 3_600_000
  const ids: string[] = []
  for (const [index, job] of jobs.entries()) {
    ids.push(await insertJob(service.runtime.db, caller.account, { id: idAt(new Date(start + index * 1000)), ...job }))
  }
  const page = async (variables: object = {}) => (await read<Page>(service.url, caller.key, PAGE, variables)).jobs
  const found = async (filter: object) => {
    const { edges, totalCount } = await page({ filter })
    const indexes = edges.map(({ node }) => ids.indexOf(node.id)).toReversed()
    expect(totalCount).toBe(indexes.length)
    return indexes
  }
  return { ...caller, ids, page, found }
}

const MIXED: readonly JobFields[] = [
  { type: 'voice', status: 'completed' },
  { type: 'voice', status: 'failed', errorCode: 'JOB_TIMEOUT' },
  { type: 'generate', status: 'queued' },
  { type: 'companion_chat', status: 'completed', isProhibited: true },
  { type: 'companion_retarget', status: 'completed', isProhibited: false },
  { type: 'companion_media_tag', status: 'processing' },
  { type: 'voice', status: 'failed', errorCode: 'PROVIDER_BUSY', endpointKey: 'voice.other' },
]

describe('jobs', () => {
  test('forwards and backwards, pages of any size put together are every job once', async () => {
    const { ids, page } = await fill(Array.from({ length: 11 }, (_, index) => MIXED[index % MIXED.length]!))
    const newest = ids.toReversed()
    for (const size of [1, 4, 11, 100]) {
      const forwards: string[] = []
      for (let after: string | null = null; ; ) {
        const { edges, pageInfo, totalCount } = await page({ first: size, after })
        forwards.push(...edges.map(({ node }) => node.id))
        expect([totalCount, pageInfo.hasPreviousPage]).toEqual([11, after !== null])
        if (!pageInfo.hasNextPage) break
        after = pageInfo.endCursor
      }
      expect(forwards).toEqual(newest)
      const backwards: string[] = []
      for (let before: string | null = null; ; ) {
        const { edges, pageInfo } = await page({ last: size, before })
        backwards.unshift(...edges.map(({ node }) => node.id))
        if (!pageInfo.hasPreviousPage) break
        before = pageInfo.startCursor
      }
      expect(backwards).toEqual(newest)
    }
  })

  test.each([
    ['CREATED_AT', [0, 1, 2, 3, 4]],
    ['COMPLETED_AT', [4, 0, 3, 1]],
    ['DURATION', [4, 3, 1, 0]],
  ])('by %s, page after page, forwards and backwards', async (field, order) => {
    const start = Date.now() - 3_600_000
    const lasted = [40_000, 40_000 + 1000, null, 38_000, 5000]
    const { ids, page } = await fill([]).then(async (caller) => {
      const made: string[] = []
      for (const [index, ms] of lasted.entries()) {
        const id = idAt(new Date(start + index * 1000))
        const completedAt = new Date(idTime(id).getTime() + (ms ?? 0))
        made.push(
          await insertJob(service.runtime.db, caller.account, {
            id,
            ...(ms === null ? { status: 'queued' as const } : { completedAt }),
          }),
        )
      }
      return { ...caller, ids: made }
    })
    // Jobs 0 and 1 lasted differently and 0 and 3 ended within a second of each other: both distinguish the orders.
    const ends = lasted.map((ms, index) => (ms === null ? null : index * 1000 + ms))
    const keys: Record<string, (number | null)[]> = {
      CREATED_AT: [0, 1, 2, 3, 4],
      COMPLETED_AT: ends,
      DURATION: lasted,
    }
    const expected = order.toSorted((a, b) => keys[field]![a]! - keys[field]![b]!).map((index) => ids[index]!)
    for (const direction of ['ASC', 'DESC']) {
      const wanted = direction === 'ASC' ? expected : expected.toReversed()
      const orderBy = { field, direction }
      const forwards: string[] = []
      const backwards: string[] = []
      for (let after: string | null = null; forwards.length < 9; ) {
        const { edges, pageInfo, totalCount } = await page({ first: 2, after, orderBy })
        forwards.push(...edges.map(({ node }) => node.id))
        expect(totalCount).toBe(wanted.length)
        if (!pageInfo.hasNextPage) break
        after = pageInfo.endCursor
      }
      for (let before: string | null = null; backwards.length < 9; ) {
        const { edges, pageInfo } = await page({ last: 2, before, orderBy })
        backwards.unshift(...edges.map(({ node }) => node.id))
        if (!pageInfo.hasPreviousPage) break
        before = pageInfo.startCursor
      }
      expect([forwards, backwards]).toEqual([wanted, wanted])
    }
  })

  test('every filter leaves exactly its jobs, and the total agrees', async () => {
    const { found, ids, key } = await fill(MIXED)
    const at = (index: number) => idTime(ids[index]!).toISOString()
    expect(await found({})).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(await found({ types: ['VOICE', 'GENERATE'] })).toEqual([0, 1, 2, 6])
    expect(await found({ statuses: ['QUEUED', 'PROCESSING', 'QUEUED'] })).toEqual([2, 5])
    expect(await found({ statuses: ['FAILED'], types: ['VOICE'] })).toEqual([1, 6])
    expect(await found({ ids: [ids[5], ids[2], ids[5], newId('job')] })).toEqual([2, 5])
    expect(await found({ decision: 'REJECT' })).toEqual([3])
    expect(await found({ decision: 'PASS' })).toEqual([4])
    expect(await found({ endpointKeys: ['voice.other', 'generate.portrait'] })).toEqual([2, 6])
    expect(await found({ errorCodes: ['JOB_TIMEOUT'] })).toEqual([1])
    expect(await found({ apiKeyIds: [newId('key')] })).toEqual([])
    expect(await found({ idPrefix: ids[3]! })).toEqual([3])
    expect(await found({ idPrefix: '%' })).toEqual([])
    expect(await found({ createdAt: { from: at(1), to: at(3) } })).toEqual([1, 2])
    expect(await found({ completedAt: { from: at(3) } })).toEqual([3, 4, 6])
    expect(await found({ durationMs: { from: 1250, to: 1251 } })).toEqual([0, 1, 3, 4, 6])
    expect(await found({ durationMs: { to: 1250 } })).toEqual([])
    expect(await found({ not: { statuses: ['COMPLETED'] } })).toEqual([1, 2, 5, 6])
    expect(await found({ not: { errorCodes: ['JOB_TIMEOUT'] } })).toEqual([0, 2, 3, 4, 5, 6])
    expect(await found({ or: [{ decision: 'REJECT' }, { statuses: ['QUEUED'] }] })).toEqual([2, 3])
    expect(
      await found({
        and: [{ types: ['VOICE'] }, { not: { statuses: ['FAILED'] } }],
        or: [{}],
      }),
    ).toEqual([0])
    expect(codeOf(await ask(service.url, key, PAGE, { filter: { types: [] } }))).toBe('INVALID_REQUEST')
    // Written out, it is no part of the body's own JSON.
    const written = String.raw`{ jobs(filter: {idPrefix: "a\u0000"}) { totalCount } }`
    expect((await ask(service.url, key, written)).errors?.[0]?.extensions.details?.[0]?.path).toBe('/filter/idPrefix')
  })

  test.each([
    [{ first: 0 }, '/first'],
    [{ first: 101 }, '/first'],
    [{ last: -1 }, '/last'],
    [{ first: 1, last: 1 }, '/last'],
    [{ after: 'job_x' }, '/after'],
    [{ before: 'nonsense' }, '/before'],
    [{ after: newId('job'), orderBy: { field: 'DURATION', direction: 'ASC' } }, '/after'],
    [{ filter: { statuses: [] } }, '/filter/statuses'],
    [{ filter: { and: [{ or: [] }] } }, '/filter/and/0/or'],
    [{ filter: { endpointKeys: ['x'.repeat(201)] } }, '/filter/endpointKeys'],
    [{ filter: { apiKeyIds: Array.from({ length: 51 }, () => newId('key')) } }, '/filter/apiKeyIds'],
    [{ filter: { apiKeyIds: [newId('key'), 'key_nobody'] } }, '/filter/apiKeyIds'],
    [{ filter: { not: { or: [{ durationMs: { from: 2, to: 1 } }] } } }, '/filter/not/or/0/durationMs'],
    [{ filter: { or: Array.from({ length: 20 }, () => ({})) } }, '/filter'],
  ])('%j is refused and never clamped', async (variables, path) => {
    const { key } = await service.createCaller()
    const answer = await ask(service.url, key, PAGE, variables)
    expect([codeOf(answer), answer.errors?.[0]?.extensions.details?.[0]?.path]).toEqual(['INVALID_REQUEST', path])
  })

  test('each type of job is one of its own and shows what it has', async () => {
    const { key, keyId, ids } = await fill([
      {},
      { type: 'generate', status: 'failed', gpuExecutionTimeMs: 7 },
      { type: 'companion_chat', isProhibited: true, reason: 'r', chatId: 'c' },
      { type: 'companion_retarget', isProhibited: false, chatId: 'c' },
      { type: 'companion_media_tag', isProhibited: false, mediaUrl: 'https://example.org/a.png', mediaKind: 'image' },
    ])
    const [voice] = ids
    await service.runtime.db.pool.query(
      `update job set api_key_id = $2, started_at = created_at + interval '250 ms', cost = 42, attempt = 2, chunks_done = 3, chunks_total = 3 where id = $1`,
      [voice, keyId],
    )
    await service.runtime.db.pool.query(
      `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms) values ($1, $2, 'audio', $3, 'audio/wav', 4, $4, 1500)`,
      [newId('art'), voice, `${voice}/audio`, randomBytes(32)],
    )
    const query = `{ jobs(orderBy: {field: CREATED_AT, direction: ASC}) { edges { node {
      __typename status apiKeyId apiKeyName waitMs runMs durationMs attempts cost queuePosition errorCode
      artifacts { output contentType bytes durationMs url sha256 }
      ... on VoiceJob { audioMs chunksDone chunksTotal outputs }
      ... on GenerationJob { gpuExecutionTimeMs }
      ... on CompanionChatJob { chatId reason }
      ... on CompanionMediaTagJob { mediaKind mediaUrl }
    } } } }`
    const { jobs } = await read<{ jobs: { edges: { node: Record<string, unknown> }[] } }>(service.url, key, query)
    const nodes = jobs.edges.map(({ node }) => node)
    expect(nodes.map((node) => node.__typename)).toEqual([
      'VoiceJob',
      'GenerationJob',
      'CompanionChatJob',
      'CompanionRetargetJob',
      'CompanionMediaTagJob',
    ])
    expect(nodes[0]).toMatchObject({
      apiKeyId: keyId,
      apiKeyName: 'test',
      waitMs: 250,
      runMs: 1000,
      durationMs: 1250,
      attempts: 2,
      cost: 42,
      queuePosition: null,
      audioMs: 1500,
      chunksDone: 3,
      outputs: { audio: expect.stringContaining('/media/') },
      artifacts: [{ output: 'audio', bytes: 4, durationMs: 1500, url: expect.stringContaining(service.url) }],
    })
    expect(nodes[1]).toMatchObject({ errorCode: 'RENDER_FAILED', gpuExecutionTimeMs: 7, artifacts: [] })
    expect(nodes[2]).toMatchObject({ chatId: 'c', reason: 'r' })
    expect(nodes[4]).toMatchObject({ mediaKind: 'IMAGE', mediaUrl: 'https://example.org/a.png' })
  })

  test('a waiting job has its position among those of its endpoint', async () => {
    const { ids, key } = await fill([
      { status: 'queued' },
      { status: 'queued', endpointKey: 'voice.other' },
      { status: 'processing' },
      { status: 'queued' },
    ])
    const query = '{ jobs { edges { node { id queuePosition } } } }'
    const { jobs } = await read<{ jobs: { edges: { node: { id: string; queuePosition: number | null } }[] } }>(
      service.url,
      key,
      query,
    )
    const places = new Map(jobs.edges.map(({ node }) => [node.id, node.queuePosition]))
    expect(ids.map((id) => places.get(id))).toEqual([1, 1, null, 2])
  })

  test('node finds a job by its id for its own account alone, and asks for the scope', async () => {
    const mine = await fill([{ type: 'generate' }])
    const other = await service.createCaller()
    const query = 'query ($id: ID!) { node(id: $id) { __typename id } }'
    const node = (key: string, id: string) => ask<{ node: unknown }>(service.url, key, query, { id })
    const id = mine.ids[0]!
    expect((await node(mine.key, id)).data).toEqual({ node: { __typename: 'GenerationJob', id } })
    for (const [key, wrong] of [
      [other.key, id],
      [mine.key, newId('job')],
      [mine.key, 'job_x'],
      [mine.key, 'nonsense'],
    ] as const) {
      expect(await node(key, wrong)).toEqual({ data: { node: null } })
    }
    const { apiKey } = await service.createKey(mine.account, ['generate:voice'])
    expect(codeOf(await node(apiKey, id))).toBe('FORBIDDEN')
    expect(codeOf(await ask(service.url, apiKey, PAGE))).toBe('FORBIDDEN')
    expect(codeOf(await ask(service.url, null, PAGE))).toBe('UNAUTHORIZED')
    expect((await read<Page>(service.url, other.key, PAGE)).jobs).toMatchObject({ edges: [], totalCount: 0 })
  })
})

describe('the neighbours of a job', () => {
  const NEIGHBOURS = `query ($id: ID!, $filter: JobsFilter, $orderBy: JobOrder) {
    node(id: $id) { ... on Job { neighbours(filter: $filter, orderBy: $orderBy) { previous { id } next { id } } } }
  }`

  test('are those before and after it in the list that a filter and an order make', async () => {
    const { key, ids } = await fill([{}, { status: 'failed' }, {}, { status: 'queued' }, {}])
    const around = async (id: string | undefined, variables: object = {}) => {
      const { node } = await read<{ node: { neighbours: Record<'previous' | 'next', { id: string } | null> } }>(
        ...([service.url, key, NEIGHBOURS, { id, ...variables }] as const),
      )
      const indexOf = (job: { id: string } | null) => (job === null ? null : ids.indexOf(job.id))
      return [indexOf(node.neighbours.previous), indexOf(node.neighbours.next)]
    }
    expect(await around(ids[2])).toEqual([3, 1])
    expect([await around(ids[4]), await around(ids[0])]).toEqual([
      [null, 3],
      [1, null],
    ])
    expect(await around(ids[2], { filter: { statuses: ['COMPLETED'] } })).toEqual([4, 0])
    // It need not be in the list itself.
    expect(await around(ids[3], { filter: { statuses: ['FAILED'] } })).toEqual([null, 1])
    const byEnd = { orderBy: { field: 'COMPLETED_AT', direction: 'ASC' } }
    expect(await around(ids[2], byEnd)).toEqual([1, 4])
    expect(await around(ids[3], byEnd)).toEqual([null, null])
  })

  test('are for the job of a page: of a whole list they are too much', async () => {
    const { key } = await fill([{}])
    const query = '{ jobs(first: 100) { edges { node { neighbours { next { id } } } } } }'
    expect(codeOf(await ask(service.url, key, query))).toBe('INVALID_REQUEST')
  })
})

import { array, assert, asyncProperty, constantFrom, integer, option, record } from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../src/values/id.ts'
import { idAt, insertJob } from '../../setup/jobs/jobs.ts'
import { ask, codeOf, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

interface Made {
  readonly id: string
  readonly values: Readonly<Record<string, number | null>>
  readonly status: string
}

interface Page {
  readonly jobs: {
    readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[]
    readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean }
    readonly totalCount: number
  }
}

const QUERY = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: JobsFilter, $orderBy: JobOrder) {
  jobs(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
    edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage } totalCount
  }
}`
const RUNS = 25
const START = Date.parse('2026-05-01T00:00:00Z')

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

/** Few values, so that there are ties and jobs without a value. */
const lives = array(
  record({
    waitMs: option(constantFrom(0, 1, 1, 250)),
    runMs: option(constantFrom(0, 1, 40)),
    cost: constantFrom(0, 1, 1, 9_007_199_254_740_993n),
    at: integer({ min: 0, max: 3 }),
  }),
  { minLength: 1, maxLength: 12 },
)

async function put(
  account: string,
  all: readonly { waitMs: number | null; runMs: number | null; cost: number | bigint; at: number }[],
) {
  const made: Made[] = []
  for (const { waitMs, runMs, cost, at } of all) {
    const id = idAt(new Date(START + at))
    const status = runMs !== null ? 'completed' : waitMs !== null ? 'processing' : 'queued'
    const startedAt = waitMs === null ? null : new Date(START + at + waitMs)
    const completedAt = runMs === null ? null : new Date(START + at + (waitMs ?? 0) + runMs)
    await insertJob(service.runtime.db, account, { id, status, startedAt, completedAt, cost: String(cost) })
    const duration = completedAt && completedAt.getTime() - START - at
    const values = { COST: Number(cost), WAIT: waitMs, STARTED_AT: startedAt?.getTime() ?? null, DURATION: duration }
    made.push({ id, status: status.toUpperCase(), values: { ...values, COMPLETED_AT: completedAt?.getTime() ?? null } })
  }
  return made
}

const ordered = (all: readonly Made[], field: string, direction: string): string[] =>
  all
    .toSorted((one, other) => {
      const sign = direction === 'ASC' ? 1 : -1
      const [a, b] = [one.values[field]!, other.values[field]!]
      if ((a === null) !== (b === null)) return a === null ? 1 : -1
      return sign * (a === b ? Number(one.id > other.id) - Number(one.id < other.id) : a - b)
    })
    .map(({ id }) => id)

async function walk(
  key: string,
  variables: object,
  size: number,
  isBackwards: boolean,
): Promise<[string[], Page['jobs'][]]> {
  const ids: string[] = []
  const pages: Page['jobs'][] = []
  for (let cursor: string | undefined; ; ) {
    const part = isBackwards ? { last: size, before: cursor } : { first: size, after: cursor }
    const { jobs } = await read<Page>(service.url, key, QUERY, { ...variables, ...part })
    const found = jobs.edges.map(({ node }) => node.id)
    if (isBackwards) ids.unshift(...found)
    else ids.push(...found)
    pages.push(jobs)
    if (!(isBackwards ? jobs.pageInfo.hasPreviousPage : jobs.pageInfo.hasNextPage)) return [ids, pages]
    cursor = jobs.edges.at(isBackwards ? 0 : -1)!.cursor
  }
}

describe.each([
  ['COST', undefined],
  ['WAIT', undefined],
  ['STARTED_AT', undefined],
  ['DURATION', true],
  ['COMPLETED_AT', true],
])('by %s', (field, includeUnfinished) => {
  test('pages forwards and backwards are every job once, over ties and jobs without a value, which are the last', async () => {
    await assert(
      asyncProperty(
        lives,
        integer({ min: 1, max: 4 }),
        constantFrom('ASC', 'DESC'),
        option(constantFrom(['QUEUED'], ['QUEUED', 'COMPLETED'], ['PROCESSING', 'COMPLETED', 'QUEUED'])),
        async (all, size, direction, statuses) => {
          const { account, key } = await service.createCaller()
          const made = await put(account, all)
          const wanted = ordered(
            made.filter(({ status }) => (statuses as readonly string[] | null)?.includes(status) ?? true),
            field,
            direction,
          )
          const variables = { orderBy: { field, direction, includeUnfinished }, filter: statuses && { statuses } }
          const [forwards, pages] = await walk(key, variables, size, false)
          const [backwards] = await walk(key, variables, size, true)
          expect([forwards, backwards]).toEqual([wanted, wanted])
          expect(pages.map(({ totalCount }) => totalCount)).toEqual(pages.map(() => wanted.length))
        },
      ),
      { numRuns: RUNS },
    )
  })

  test('the neighbours of a job are those of its list', async () => {
    const { account, key } = await service.createCaller()
    const made = await put(account, [
      { waitMs: 1, runMs: 1, cost: 1, at: 0 },
      { waitMs: 1, runMs: null, cost: 1, at: 0 },
      { waitMs: null, runMs: null, cost: 2, at: 1 },
      { waitMs: 5, runMs: 3, cost: 0, at: 2 },
      { waitMs: null, runMs: null, cost: 2, at: 1 },
    ])
    const query = `query ($id: ID!, $orderBy: JobOrder) { job(jobId: $id) { neighbours(orderBy: $orderBy) { previous { id } next { id } } } }`
    for (const direction of ['ASC', 'DESC']) {
      const list = ordered(made, field, direction)
      for (const [index, id] of list.entries()) {
        const orderBy = { field, direction, includeUnfinished }
        const { job } = await read<{ job: { neighbours: Record<string, { id: string } | null> } }>(
          service.url,
          key,
          query,
          { id, orderBy },
        )
        expect([job.neighbours.previous?.id, job.neighbours.next?.id]).toEqual([list[index - 1], list[index + 1]])
      }
    }
  })
})

test('a page between two cursors that have changed places is empty', async () => {
  const { account, key } = await service.createCaller()
  await put(account, [
    { waitMs: 1, runMs: 1, cost: 1, at: 0 },
    { waitMs: null, runMs: null, cost: 1, at: 1 },
  ])
  const orderBy = { field: 'WAIT', direction: 'ASC' }
  const [, [page]] = await walk(key, { orderBy }, 10, false)
  const [first, last] = page!.edges.map(({ cursor }) => cursor)
  const between = async (after: string, before: string) =>
    (await read<Page>(service.url, key, QUERY, { orderBy, after, before })).jobs.edges.length
  expect([await between(first!, last!), await between(last!, first!)]).toEqual([0, 0])
})

test.each([
  ['-', 'DURATION'],
  ['-', 'COST'],
  ['99999999999999999', 'STARTED_AT'],
  ['x', 'WAIT'],
])('a cursor that begins with %s is none by %s', async (begin, field) => {
  const { key } = await service.createCaller()
  const variables = { orderBy: { field, direction: 'ASC' }, after: `${begin}.${newId('job')}` }
  expect(codeOf(await ask(service.url, key, QUERY, variables))).toBe('INVALID_REQUEST')
})

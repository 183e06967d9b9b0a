import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setOperator } from '../../../src/users/update-user.ts'
import { idAt, insertJob } from '../../setup/jobs/jobs.ts'
import { ask, codeOf, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { type Users, usersOf } from '../../setup/service/users.ts'

const CAUSE = 'refused by 10.0.0.7'

let service: TestRuntime
let users: Users
let operator: string
let caller: { account: string; key: string }
let other: string
let jobs: string[]
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
  operator = (await service.createKey(await service.createAccount(), ['operator'])).apiKey
  caller = await service.createCaller()
  other = await service.createAccount()
  const now = Date.now()
  const insert = (account: string, secondsAgo: number, row: object) =>
    insertJob(service.runtime.db, account, { id: idAt(new Date(now - secondsAgo * 1000)), ...row })
  jobs = [
    await insert(caller.account, 30, { status: 'failed', cause: CAUSE }),
    await insert(other, 20, { status: 'completed' }),
    await insert(caller.account, 10, { status: 'queued', endpointKey: 'voice.rare' }),
  ]
})
afterAll(() => service?.close())

interface Page {
  readonly allJobs: {
    readonly totalCount: number
    readonly edges: readonly { readonly node: { readonly id: string } }[]
  }
}
const list = async (args: string) => {
  const { allJobs } = await read<Page>(service.url, operator, `{ allJobs${args} { totalCount edges { node { id } } } }`)
  return [allJobs.totalCount, ...allJobs.edges.map(({ node }) => node.id)]
}

describe('allJobs', () => {
  test('lists the jobs of all accounts, newest first, page by page, and counts them', async () => {
    const [first, second, third] = jobs
    expect(await list('')).toEqual([3, third, second, first])
    expect(await list('(first: 2)')).toEqual([3, third, second])
    expect(await list(`(first: 2, after: "${second}")`)).toEqual([3, first])
    expect(await list('(filter: {statuses: [FAILED, QUEUED]})')).toEqual([2, third, first])
    expect(await list('(filter: {endpointKeys: ["voice.rare"]})')).toEqual([1, third])
    expect(await list(`(filter: {idPrefix: "${second}"})`)).toEqual([1, second])
  })

  test('lists those of one account by id or name, in every order', async () => {
    const { name } = await service.runtime.db.prisma.account.findUniqueOrThrow({ where: { id: caller.account } })
    for (const account of [caller.account, name])
      expect(await list(`(account: "${account}", orderBy: {field: CREATED_AT, direction: ASC})`)).toEqual([
        2,
        jobs[0],
        jobs[2],
      ])
    const byEnd = 'orderBy: {field: DURATION, direction: DESC}'
    expect(await list(`(account: "${other}", ${byEnd})`)).toEqual([1, jobs[1]])
    expect(codeOf(await ask(service.url, operator, `{ allJobs(${byEnd}) { totalCount } }`))).toBe('INVALID_REQUEST')
    expect(codeOf(await ask(service.url, operator, '{ allJobs(account: "none") { totalCount } }'))).toBe('NOT_FOUND')
  })

  test('is for operators: keys, and users who are signed in', async () => {
    const query = '{ allJobs { totalCount } }'
    const one = await users.user()
    expect(codeOf(await ask(service.url, caller.key, query))).toBe('FORBIDDEN')
    expect(codeOf(await ask(service.url, null, query))).toBe('UNAUTHORIZED')
    expect(codeOf(await users.ask(query, {}, one.cookie))).toBe('FORBIDDEN')
    await setOperator(service.runtime.as({ kind: 'system' }), { user: one.id, operator: true })
    const { cookie } = await users.signIn(one.email)
    expect((await users.ask(query, {}, cookie)).data).toEqual({ allJobs: { totalCount: 3 } })
  })
})

describe('a job', () => {
  const query = (id: string) => `{ node(id: "${id}") { ... on VoiceJob { id cause account { id createdAt } } } }`

  test('shows operators its account and why it really failed, whosever it is', async () => {
    expect(await read(service.url, operator, query(jobs[0]!))).toEqual({
      node: { id: jobs[0], cause: CAUSE, account: { id: caller.account, createdAt: expect.stringMatching(/Z$/) } },
    })
    expect(await read(service.url, operator, query(jobs[1]!))).toMatchObject({
      node: { cause: null, account: { id: other } },
    })
  })

  test('shows others neither, next to what they may see, and nothing of another account', async () => {
    const own = await ask(service.url, caller.key, query(jobs[0]!))
    expect(own.data).toEqual({ node: { id: jobs[0], cause: null, account: null } })
    expect(own.errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN', 'FORBIDDEN'])
    expect(JSON.stringify(own)).not.toContain(CAUSE)
    expect(await read(service.url, caller.key, query(jobs[1]!))).toEqual({ node: null })
  })
})

describe('jobStats', () => {
  const stats = (args: string, key = operator) =>
    ask(service.url, key, `{ jobStats${args} { status jobs waitMs { p50 } } }`)
  const jobsOf = (answer: Awaited<ReturnType<typeof stats>>) =>
    (answer.data!.jobStats as { jobs: number }[]).map((group) => group.jobs)

  test('of one account or of all are for operators', async () => {
    expect(jobsOf(await stats('(all: true)'))).toEqual([3])
    expect(jobsOf(await stats('(all: true, groupBy: [STATUS])'))).toEqual([1, 1, 1])
    expect(jobsOf(await stats(`(account: "${caller.account}")`))).toEqual([2])
    expect(jobsOf(await stats(`(all: true, filter: {idPrefix: "${jobs[1]}"})`))).toEqual([1])
    expect(jobsOf(await stats('', caller.key))).toEqual([2])
    for (const args of ['(all: true)', `(account: "${other}")`])
      expect(codeOf(await stats(args, caller.key))).toBe('FORBIDDEN')
    expect(codeOf(await stats(`(all: true, account: "${other}")`))).toBe('INVALID_REQUEST')
  })
})

describe('accounts', () => {
  const found = async (search: string) => {
    const { accounts } = await read<{ accounts: { edges: { node: { name: string } }[] } }>(
      service.url,
      operator,
      'query ($search: String) { accounts(search: $search) { edges { node { name } } } }',
      { search },
    )
    return accounts.edges.map(({ node }) => node.name)
  }

  test('are searched by a part of their name in any case, or the beginning of their id; no sign is a wildcard', async () => {
    const { prisma } = service.runtime.db
    const names = ['Radio 100% West', 'radio 1000 east', 'under_score\\d', 'Éléonore Ähren']
    for (const [index, name] of names.entries())
      await prisma.account.create({ data: { id: `acct_search${index}`, name } })
    expect(await found('RADIO')).toEqual(names.slice(0, 2))
    expect(await found('100% ')).toEqual([names[0]])
    expect(await found('under_')).toEqual([names[2]])
    expect(await found('\\')).toEqual([names[2]])
    for (const name of ['éléonore', 'ÉLÉONORE ÄHREN', 'ähren'.normalize('NFD')])
      expect(await found(name)).toEqual([names[3]])
    expect(await found('acct_search1')).toEqual([names[1]])
    expect(await found('cct_search1')).toEqual([])
    const long = await ask(service.url, operator, `{ accounts(search: "${'x'.repeat(201)}") { edges { cursor } } }`)
    expect(codeOf(long)).toBe('INVALID_REQUEST')
  })

  test('one is shown by id or name to operators alone, and the own one to its keys', async () => {
    const { name } = await service.runtime.db.prisma.account.findUniqueOrThrow({ where: { id: other } })
    const query = (named: string) => `{ account(account: "${named}") { id name createdAt } }`
    for (const named of [other, name])
      expect(await read(service.url, operator, query(named))).toMatchObject({ account: { id: other, name } })
    for (const named of [other, name, 'none'])
      expect(codeOf(await ask(service.url, caller.key, query(named)))).toBe('FORBIDDEN')
    const own = `{ account(account: "${caller.account}") { credits } }`
    expect(await read(service.url, caller.key, own)).toEqual({ account: { credits: 1_000_000 } })
  })
})

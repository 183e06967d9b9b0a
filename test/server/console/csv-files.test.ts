import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditAccount } from '../../../src/accounts/credit-account.ts'
import { readCsv } from '../../setup/checks/csv.ts'
import { call } from '../../setup/http.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { type SignedInUser, type Users, usersOf } from '../../setup/service/users.ts'

const DAY_MS = 86_400_000
const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
const WINDOW = `from=${at(-1)}&to=${at(1)}`
const BY_OUR_PAGE = { 'sec-fetch-site': 'same-origin' }

describe('the files of the console', () => {
  let service: TestRuntime
  let users: Users
  let owner: SignedInUser
  beforeAll(async () => {
    service = await startTestRuntime()
    users = usersOf(service)
    owner = await users.user()
  })
  afterAll(() => service.close())

  const download = (headers: Record<string, string>, query = WINDOW, method = 'GET', file = 'jobs') =>
    call(`${service.url}/console/${file}.csv?${query}`, { method, headers })
  const ledgerOf = (cookie: string, query = '') => download({ ...BY_OUR_PAGE, cookie }, query, 'GET', 'ledger')

  test('gives a user who has signed in the file that a key gets, of the own account alone', async () => {
    const jobId = await insertJob(service.runtime.db, owner.account)
    await insertJob(service.runtime.db, (await users.user()).account)
    const file = await download({ ...BY_OUR_PAGE, cookie: owner.cookie })
    expect(file).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    expect(file.headers['content-disposition']).toMatch(/^attachment; filename="jobs-\d{4}-[\w.-]+\.csv"$/)
    const { apiKey } = await service.createKey(owner.account, ['job:read'])
    const exported = await call(`${service.url}/api/v1/jobs/export?${WINDOW}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    expect([file.text, file.text.includes(jobId), file.text.trim().split('\r\n').length]).toEqual([
      exported.text,
      true,
      2,
    ])
    const head = await download({ ...BY_OUR_PAGE, cookie: owner.cookie }, WINDOW, 'HEAD')
    expect([head.status, head.bytes.length]).toEqual([200, 0])
  })

  test('gives the jobs alone that the list is filtered to, by every filter of its address', async () => {
    const user = await users.user()
    const { db } = service.runtime
    const { apiKeyId } = await service.createKey(user.account)
    const ids = {
      timeout: await insertJob(db, user.account, {
        status: 'failed',
        errorCode: 'JOB_TIMEOUT',
        endpointKey: 'voice.a',
      }),
      busy: await insertJob(db, user.account, { status: 'failed', errorCode: 'PROVIDER_BUSY', endpointKey: 'voice.b' }),
      chat: await insertJob(db, user.account, { type: 'companion_chat', endpointKey: 'companion.chat' }),
      keyed: await insertJob(db, user.account, {
        status: 'queued',
        endpointKey: "voice.it's",
        apiKeyId,
        tags: ['a, b'],
      }),
      tagged: await insertJob(db, user.account, { endpointKey: 'voice.c', tags: ['a'] }),
    }
    const jobsOf = async (filter: string) => {
      const { status, text } = await download({ ...BY_OUR_PAGE, cookie: user.cookie }, `${WINDOW}&${filter}`)
      const rows = status === 200 ? readCsv(text.slice(1)).slice(1) : []
      return [status, ...Object.entries(ids).flatMap(([name, id]) => (rows.some(([one]) => one === id) ? [name] : []))]
    }
    const filters = {
      'status=failed': ['timeout', 'busy'],
      'status=failed,QUEUED': ['timeout', 'busy', 'keyed'],
      'type=companion_chat': ['chat'],
      'error=job_timeout': ['timeout'],
      'endpoint=voice.a,voice.b': ['timeout', 'busy'],
      "endpoint=voice.it's": ['keyed'],
      [`key=${apiKeyId}`]: ['keyed'],
      [`search=${ids.chat}`]: ['chat'],
      'tag=a,+b': ['keyed'],
      'tag=a': ['tagged'],
      'status=failed&endpoint=voice.b&error=provider_busy,job_timeout': ['busy'],
      'status=': ['timeout', 'busy', 'chat', 'keyed', 'tagged'],
    }
    for (const [filter, names] of Object.entries(filters))
      expect([filter, ...(await jobsOf(filter))]).toEqual([filter, 200, ...names])
    for (const filter of [
      'status=none',
      'type=x',
      'error=constructor',
      'key=1',
      'status=failed&status=queued',
      'tag=a&tag=b',
    ])
      expect([filter, (await jobsOf(filter))[0]]).toEqual([filter, 400])
  })

  test('takes the Referer of its own page where a browser says nothing else, as on plain http', async () => {
    const { host } = new URL(service.url)
    const statusOf = async (headers: Record<string, string>) =>
      (await download({ cookie: owner.cookie, ...headers })).status
    const referers = [
      `${service.url}/console/jobs`,
      `http://${host}.example.org/`,
      'http://example.org/',
      'about:blank',
      '',
    ]
    const statuses = await Promise.all(referers.map((referer) => statusOf({ referer })))
    expect(statuses).toEqual([200, 403, 403, 403, 403])
    expect(await statusOf({ referer: `${service.url}/console/jobs`, 'sec-fetch-site': 'cross-site' })).toBe(403)
  })

  test('refuses whatever no page of this service asks with a session', async () => {
    const { apiKey } = await service.createKey(owner.account, ['job:read'])
    const refused: Record<string, string>[] = [
      { cookie: owner.cookie },
      { cookie: owner.cookie, 'sec-fetch-site': 'cross-site' },
      { cookie: owner.cookie, 'sec-fetch-site': 'none' },
      BY_OUR_PAGE,
      { ...BY_OUR_PAGE, authorization: `Bearer ${apiKey}` },
    ]
    const replies = await Promise.all(refused.map((headers) => download(headers)))
    expect(replies.map((reply) => [reply.status, reply.json<{ error_code: string }>().error_code])).toEqual([
      [403, 'FORBIDDEN'],
      [403, 'FORBIDDEN'],
      [403, 'FORBIDDEN'],
      [401, 'UNAUTHORIZED'],
      [401, 'UNAUTHORIZED'],
    ])
  })

  test.each([
    ['', ['from', 'to']],
    ['from=2026-01-01', ['to']],
    ['from=yesterday&to=2026-01-02', ['from']],
    ['from=2026-02-01&to=2026-01-01', ['from']],
    ['from=2020-01-01&to=2026-01-01', ['to']],
  ])('refuses "%s" by name', async (query, paths) => {
    const reply = await download({ ...BY_OUR_PAGE, cookie: owner.cookie }, query)
    expect(reply.status).toBe(400)
    expect(reply.json<{ details: { path: string }[] }>().details.map(({ path }) => path)).toEqual(paths)
  })

  test('a ledger is every entry of the own account with the balance that it left, or those of a window', async () => {
    const { account, cookie } = await users.user()
    const grant = (amount: bigint) => creditAccount(service.runtime.as({ kind: 'system' }), { account, amount })
    const before = (await service.runtime.db.prisma.account.findUniqueOrThrow({ where: { id: account } })).credits
    await grant(7n)
    await grant(-5n)
    const earlier =
      "update credit_entry set created_at = now() - interval '40 days' where account_id = $1 and amount <> -5"
    await service.runtime.db.pool.query(earlier, [account])
    const file = await ledgerOf(cookie)
    expect([file.status, file.headers['content-disposition']]).toEqual([200, 'attachment; filename="ledger.csv"'])
    const [head, ...rows] = readCsv(file.text.replace(/^\ufeff/, ''))
    expect(head).toEqual(['entry_id', 'kind', 'amount', 'balance', 'job_id', 'created_at'])
    expect(rows.slice(-2).map(([, ...row]) => row)).toEqual([
      ['grant', '7', `${before + 7n}`, '', expect.stringMatching(/^20.*Z$/)],
      ['grant', '-5', `${before + 2n}`, '', expect.stringMatching(/^20.*Z$/)],
    ])
    const window = await ledgerOf(cookie, `from=${at(-30)}`)
    expect(readCsv(window.text).slice(1)).toEqual(rows.slice(-1))
    // As retention carries charges on: written late, and dated early.
    const carried = `insert into credit_entry (account_id, kind, amount, created_at)
      values ($1, 'carried', -2, now() - interval '20 days'), ($1, 'carried', -1, '2000-01-01')`
    await service.runtime.db.pool.query(carried, [account])
    await service.runtime.db.pool.query('update account set credits = credits - 3 where id = $1', [account])
    await grant(3n)
    const [first, ...others] = readCsv((await ledgerOf(cookie)).text).slice(1)
    expect(first?.slice(1, 4)).toEqual(['carried', '-1', '-1'])
    expect(others.at(-1)?.[3]).toBe(`${before + 2n}`)
    const query = '{creditEntries{edges{node{id balance}}}}'
    const asked = await call(`${service.url}/graphql`, {
      method: 'POST',
      headers: { cookie, origin: service.url, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    const { edges } = asked.json<{ data: { creditEntries: { edges: { node: { id: string; balance: number } }[] } } }>()
      .data.creditEntries
    const inFile = new Map([first, ...others].map((row) => [row?.[0], Number(row?.[3])]))
    expect(edges.map(({ node }) => [node.id, node.balance])).toEqual(
      edges.map(({ node }) => [node.id, inFile.get(node.id)]),
    )
    expect(edges).toHaveLength(inFile.size)
  })

  test('a member gets no ledger, and neither does a request that no page of the service made', async () => {
    const member = await users.user('member', owner.account)
    const [byMember, byNoPage, backwards] = await Promise.all([
      ledgerOf(member.cookie),
      download({ cookie: owner.cookie }, '', 'GET', 'ledger'),
      ledgerOf(owner.cookie, 'from=2026-02-01&to=2026-01-01'),
    ])
    expect([byMember.status, byNoPage.status, backwards.status]).toEqual([403, 403, 400])
  })
})

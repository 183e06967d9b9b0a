import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../setup/http.ts'
import { insertJob } from '../../setup/jobs.ts'
import { type People, type Person, peopleOf } from '../../setup/people.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/runtime.ts'

const DAY_MS = 86_400_000
const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
const WINDOW = `from=${at(-1)}&to=${at(1)}`
const BY_OUR_PAGE = { 'sec-fetch-site': 'same-origin' }

describe('/console/jobs.csv', () => {
  let service: TestRuntime
  let people: People
  let owner: Person
  beforeAll(async () => {
    service = await startTestRuntime()
    people = peopleOf(service)
    owner = await people.user()
  })
  afterAll(() => service.close())

  const download = (headers: Record<string, string>, query = WINDOW, method = 'GET') =>
    call(`${service.url}/console/jobs.csv?${query}`, { method, headers })

  test('gives a user who has signed in the file that a key gets, of the own account alone', async () => {
    const jobId = await insertJob(service.runtime.db, owner.account)
    await insertJob(service.runtime.db, (await people.user()).account)
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
})

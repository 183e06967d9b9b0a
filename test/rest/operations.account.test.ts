import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

const own = (key?: string) => call(`${service.url}/api/v1/account`, key === undefined ? {} : { key })
const graphql = (query: string, key: string) =>
  call(`${service.url}/graphql`, { method: 'POST', key, body: { query } }).then((answer) => answer.json())

describe('account', () => {
  test("a key with job:read sees its own account's balance through both doors", async () => {
    const id = await service.createAccount(0n)
    const { apiKey } = await service.createKey(id, ['job:read'])
    await service.createAccount(5n)
    const answer = await own(apiKey)
    const { name } = answer.json<{ name: string }>()
    expect([answer.status, answer.json()]).toEqual([200, { account_id: id, name: expect.any(String), credits: 0 }])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(await graphql('{ account { name credits } }', apiKey)).toEqual({
      data: { account: { name, credits: 0 } },
    })
  })

  test('a key that may only submit sees no balance, and without a key no caller does', async () => {
    const { apiKey } = await service.createKey(await service.createAccount(), ['generate:voice'])
    expect([(await own(apiKey)).status, (await own()).status]).toEqual([403, 401])
    expect(await graphql('{ account { credits } }', apiKey)).toMatchObject({
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    })
  })

  test('the scope shows what the account is called and has, and reads it again by its id', async () => {
    const account = await service.createAccount(7n)
    const { apiKey } = await service.createKey(account, ['job:read'])
    const { name } = (await own(apiKey)).json<{ name: string }>()
    expect(await graphql('{ account { id name credits } }', apiKey)).toEqual({
      data: { account: { id: account, name, credits: 7 } },
    })
    const again = (id: string) => graphql(`{ node(id: "${id}") { ... on Account { name } } }`, apiKey)
    expect(await again(account)).toEqual({ data: { node: { name } } })
    const foreign = await again(await service.createAccount())
    expect(foreign).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] })
  })

  test('the scope opens nothing else of the account', async () => {
    const { apiKey } = await service.createKey(await service.createAccount(), ['job:read'])
    const closed = ['apiKeys { edges { node { id } } }', 'creditEntries { edges { node { id } } }', 'webhook { url }']
    for (const field of closed)
      expect(await graphql(`{ ${field} }`, apiKey), field).toMatchObject({
        errors: [{ extensions: { code: 'FORBIDDEN' } }],
      })
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertJob } from '../setup/jobs/jobs.ts'
import { mutation, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

let service: TestRuntime
let key: string
beforeAll(async () => {
  service = await startTestRuntime()
  const account = await service.createAccount()
  key = (await service.createKey(account, ['account:admin', 'job:read'])).apiKey
  await insertJob(service.runtime.db, account)
})
afterAll(() => service?.close())

const WINDOWS = `query ($from: DateTime, $to: DateTime) {
  creditEntries(createdAt: { from: $from, to: $to }) { edges { node { id } } }
  auditEntries(createdAt: { from: $from, to: $to }) { edges { node { id } } }
  jobs(filter: { createdAt: { from: $from, to: $to } }) { edges { node { id } } }
}`
const KEYS = '{ apiKeys { edges { node { name expiresAt } } } }'

interface Windows {
  readonly [field: string]: { readonly edges: readonly unknown[] }
}

describe('a time at an edge of the calendar', () => {
  test('bounds every list as any other time', async () => {
    const sizes = async (variables: object) =>
      Object.values(await read<Windows>(service.url, key, WINDOWS, variables)).map(({ edges }) => edges.length)
    const [all, none] = [await sizes({}), [0, 0, 0]]
    expect(all.every((size) => size > 0)).toBe(true)
    for (const early of ['0000-01-01', '0000-01-01T00:00:00+14:00', '0001-01-01T00:00:00+23:59']) {
      expect(await sizes({ from: early })).toEqual(all)
      expect(await sizes({ to: early })).toEqual(none)
    }
    for (const late of ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59-23:59']) {
      expect(await sizes({ from: late })).toEqual(none)
      expect(await sizes({ to: late })).toEqual(all)
    }
  })

  test('is shown by a key that expires then', async () => {
    const create = mutation(
      'createApiKey(name: "lasting", expiresAt: $at)',
      '... on NewApiKey { apiKeyId }',
      '($at: DateTime)',
    )
    await read(service.url, key, create, { at: '9999-12-31T23:59:59-12:00' })
    const { apiKeys } = await read<{ apiKeys: { edges: { node: unknown }[] } }>(service.url, key, KEYS)
    expect(apiKeys.edges[0]?.node).toEqual({ name: 'lasting', expiresAt: '9999-12-31T23:59:59.999Z' })
  })
})

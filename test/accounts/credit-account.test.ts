import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditAccount } from '../../src/accounts/credit-account.ts'
import type { ServiceContext } from '../../src/runtime/services.ts'
import { audit } from '../setup/audit/audit.ts'
import { call } from '../setup/http.ts'
import { ask } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { scrape } from '../setup/service/scraped.ts'

const AT_ONCE = 8

let service: TestRuntime
let operator: ServiceContext
beforeAll(async () => {
  service = await startTestRuntime({ env: { METRICS_PORT: '0' } })
  operator = service.runtime.as({ kind: 'system' })
})
afterAll(() => service.close())

const balance = async (account: string) =>
  (await service.runtime.db.prisma.account.findUniqueOrThrow({ where: { id: account } })).credits
const traces = async (account: string) => {
  const { prisma } = service.runtime.db
  const where = { accountId: account }
  return [
    await prisma.creditEntry.count({ where: { ...where, kind: 'grant' } }),
    await prisma.auditEntry.count({ where: { ...where, action: 'credits_granted' } }),
  ]
}

test('a grant that is repeated with its key is made once, and answered with the account as it is now', async () => {
  const account = await service.createAccount(100n)
  const before = (await scrape(service.metricsUrl)).value('credits_total', { kind: 'grant' })
  const grant = { account, amount: 50n, idempotencyKey: 'invoice 7' }
  expect(await creditAccount(operator, grant)).toMatchObject({ id: account, credits: 150n })
  await creditAccount(operator, { account, amount: -30n })
  expect(await creditAccount(operator, grant)).toMatchObject({ id: account, credits: 120n })
  expect([await balance(account), await traces(account)]).toEqual([120n, [3, 2]])
  expect((await scrape(service.metricsUrl)).value('credits_total', { kind: 'grant' })).toBe(before + 50)
  expect(await audit(service.runtime, [])).toEqual([])
})

test('GraphQL takes more credits than an Int holds, and variables that are Ints as before', async () => {
  const { apiKey } = await service.createKey(await service.createAccount(), ['operator'])
  const run = async (query: string, variables: object = {}) =>
    (await ask<Record<string, { credits: number; id: string; code?: string }>>(service.url, apiKey, query, variables))
      .data
  const fields = '... on Account { id credits } ... on RequestError { code }'
  const made = await run(`mutation { createAccount(name: "large", largeCredits: 3000000000) { ${fields} } }`)
  expect(made?.createAccount?.credits).toBe(3_000_000_000)
  const change = `mutation ($account: ID!, $small: Int!) {
    small: creditAccount(account: $account, amount: $small) { ${fields} }
    large: creditAccount(account: $account, largeAmount: -2999999999) { ${fields} }
    both: creditAccount(account: $account, amount: 1, largeAmount: 1) { ${fields} }
    none: creditAccount(account: $account) { ${fields} }
    half: creditAccount(account: $account, largeAmount: 1.5) { ${fields} }
  }`
  expect(await run(change, { account: made?.createAccount?.id, small: 2 })).toMatchObject({
    small: { credits: 3_000_000_002 },
    large: { credits: 3 },
    ...Object.fromEntries(['both', 'none', 'half'].map((name) => [name, { code: 'INVALID_REQUEST' }])),
  })
})

test('grants with one key at the same moment are one', async () => {
  const account = await service.createAccount(1n)
  const grant = { account, amount: 5n, idempotencyKey: 'at once' }
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => creditAccount(operator, grant)))
  expect(answers.map(({ credits }) => credits)).toEqual(Array(AT_ONCE).fill(6n))
  expect([await balance(account), await traces(account)]).toEqual([6n, [2, 1]])
})

test('a key stands for its amount and account alone, and for nothing where the grant was refused', async () => {
  const [account, other] = [await service.createAccount(1n), await service.createAccount(1n)]
  const grant = { account, amount: 5n, idempotencyKey: 'mine' }
  await creditAccount(operator, grant)
  await expect(creditAccount(operator, { ...grant, amount: 6n })).rejects.toMatchObject({
    code: 'IDEMPOTENCY_MISMATCH',
  })
  await creditAccount(operator, { ...grant, account: other })
  expect([await balance(account), await balance(other)]).toEqual([6n, 6n])
  const taken = { account, amount: -7n, idempotencyKey: 'too much' }
  await expect(creditAccount(operator, taken)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  await creditAccount(operator, { account, amount: 1n })
  expect(await creditAccount(operator, taken)).toMatchObject({ credits: 0n })
})

test('a malformed key is refused', async () => {
  const account = await service.createAccount(1n)
  for (const idempotencyKey of ['', 'é', 'a'.repeat(256), '\u0001'])
    await expect(creditAccount(operator, { account, amount: 1n, idempotencyKey })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ path: '/idempotencyKey' }],
    })
  expect(await balance(account)).toBe(1n)
})

test('a key under which the account has submitted a job is free for a grant', async () => {
  const { account, key } = await service.createCaller(100n)
  const body = { inputs: { text: 'Hello.', voice: 'aria' } }
  const headers = { 'idempotency-key': 'the same' }
  const submit = () => call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key, body, headers })
  const first = await submit()
  expect(await creditAccount(operator, { account, amount: 5n, idempotencyKey: 'the same' })).toMatchObject({
    credits: 105n,
  })
  expect((await submit()).json()).toEqual(first.json())
})

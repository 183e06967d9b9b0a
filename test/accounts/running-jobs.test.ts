import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertJob } from '../setup/jobs/jobs.ts'
import { sonantHere } from '../setup/processes/command-here.ts'
import { codeOf, mutation, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { usersOf } from '../setup/service/users.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

test('owners limit how many jobs of a key run, operators those of accounts; what is not given stays, and null clears', async () => {
  const users = usersOf(service)
  const owner = await users.user('owner')
  const { apiKeyId } = await service.createKey(owner.account)
  const ask = async (field: string, fields: string) =>
    (await users.ask(mutation(field, `... on ApiKey { ${fields} }`), {}, owner.cookie)).data
  const change = async (fields: string) =>
    (await ask(`updateApiKey(id: "${apiKeyId}", ${fields})`, 'maxRunning name'))?.updateApiKey
  expect(await change('maxRunning: 3')).toEqual({ maxRunning: 3, name: 'test' })
  expect(await change('name: "site"')).toEqual({ maxRunning: 3, name: 'site' })
  expect(await change('maxRunning: null')).toEqual({ maxRunning: null, name: 'site' })
  for (const wrong of ['-1', '0']) {
    expect(await change(`maxRunning: ${wrong}`), wrong).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ path: '/maxRunning' }],
    })
  }
  const made = mutation('createApiKey(name: "one at a time", maxRunning: 1)', '... on NewApiKey { key { maxRunning } }')
  expect(await users.ask(made, {}, owner.cookie)).toMatchObject({ data: { createApiKey: { key: { maxRunning: 1 } } } })
  const account = mutation(`updateAccount(account: "${owner.account}", maxRunning: 2)`, '... on Account { maxRunning }')
  expect(codeOf(await users.ask(account, {}, owner.cookie))).toBe('FORBIDDEN')
  const { apiKey } = await service.createKey(await service.createAccount(), ['operator'])
  expect(await read(service.url, apiKey, account)).toEqual({ updateAccount: { maxRunning: 2 } })
  const entries = '{ auditEntries(first: 3) { edges { node { action detail } } } }'
  expect(await users.ask(entries, {}, owner.cookie)).toMatchObject({
    data: {
      auditEntries: {
        edges: [
          { node: { action: 'ACCOUNT_UPDATED', detail: 'at most 2 running' } },
          { node: { action: 'KEY_CREATED', detail: expect.stringMatching(/, at most 1 running$/) } },
          { node: { action: 'KEY_UPDATED' } },
        ],
      },
    },
  })
})

test('the command line sets the limits and lists them with how many jobs run', async () => {
  const { account, keyId } = await service.createCaller()
  const env = { DATABASE_URL: service.runtime.settings.databaseUrl!, DATA_DIR: service.dataDir }
  const { db } = service.runtime
  await insertJob(db, account, { status: 'processing', apiKeyId: keyId, startedAt: new Date() })
  await insertJob(db, account, { status: 'processing', startedAt: new Date() })
  await insertJob(db, account, { status: 'queued', apiKeyId: keyId })
  const keyNow = { api_key_id: keyId, max_running: 3, running_jobs: 1 }
  expect(await sonantHere(env, 'keys', 'update', keyId, '--max-running', '3')).toMatchObject(keyNow)
  const accountNow = { account_id: account, max_running: 4, running_jobs: 2 }
  expect(await sonantHere(env, 'accounts', 'update', '--account', account, '--max-running', '4')).toMatchObject(
    accountNow,
  )
  expect(await sonantHere(env, 'keys', 'list', '--account', account)).toMatchObject({ items: [keyNow] })
  expect(await sonantHere(env, 'accounts', 'show', '--account', account)).toMatchObject(accountNow)
  const { apiKey } = await service.createKey(account, ['account:admin'])
  const seen = '{ account { maxRunning runningJobs apiKeys { id maxRunning runningJobs } } }'
  expect(await read(service.url, apiKey, seen)).toMatchObject({
    account: {
      maxRunning: 4,
      runningJobs: 2,
      apiKeys: [{ runningJobs: 0 }, { id: keyId, maxRunning: 3, runningJobs: 1 }],
    },
  })
  expect(await sonantHere(env, 'keys', 'update', keyId, '--max-running', 'none')).toMatchObject({ max_running: null })
})

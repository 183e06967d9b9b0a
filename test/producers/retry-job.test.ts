import { afterAll, beforeAll, expect, test } from 'vitest'
import { retryJob, retryJobs } from '../../src/producers/retry-job.ts'
import { newId } from '../../src/values/id.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

test('a key that may submit nothing learns of no job, whether it is there or not', async () => {
  const accountId = await service.createAccount()
  const jobId = await insertJob(service.runtime.db, accountId, { status: 'processing' })
  const by = (...scopes: string[]) =>
    service.runtime.as({ kind: 'key', accountId, apiKeyId: newId('key'), scopes, credits: 1n })
  for (const id of [jobId, newId('job')]) {
    await expect(retryJob(by('companion:chat'), { jobId: id })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(retryJobs(by('companion:chat'), { ids: [id] })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  }
  for (const scope of ['generate:voice', 'generate:workflow']) {
    const refused = { code: 'INVALID_REQUEST', details: [{ path: '/id' }] }
    await expect(retryJob(by(scope), { jobId })).rejects.toMatchObject(refused)
    await expect(retryJob(by(scope), { jobId: newId('job') })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  }
})

test.each([
  ['voice', { text: 'Hello.' }, true],
  ['voice', { characters: 6 }, false],
  ['generate', { prompt: 'A fox.' }, true],
  ['generate', null, false],
  ['companion_chat', {}, false],
  ['companion_retarget', {}, false],
  ['companion_media_tag', {}, false],
] as const)('a failed %s job with the inputs %j is retried, as GraphQL says: %s', async (type, inputs, isRetryable) => {
  const { account, key } = await service.createCaller()
  const { db } = service.runtime
  const jobId = await insertJob(db, account, { type, status: 'failed' })
  await db.pool.query('update job set inputs = $2 where id = $1', [jobId, JSON.stringify(inputs)])
  const shown = await read(service.url, key, `{ node(id: "${jobId}") { ... on Job { isRetryable } } }`)
  expect(shown).toEqual({ node: { isRetryable } })
  const by = { kind: 'account', accountId: account, credits: 100n } as const
  const retried = await retryJob(service.runtime.as(by), { jobId }).catch(({ details }) => details)
  expect(Array.isArray(retried) && retried.some(({ path }) => path === '/id')).toBe(!isRetryable)
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { retryJob, retryJobs } from '../../src/producers/retry-job.ts'
import { newId } from '../../src/values/id.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
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

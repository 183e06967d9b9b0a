import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookCheck } from '../../src/doctor/check-books.ts'
import { cancelJob } from '../../src/jobs/lifecycle/cancel-job.ts'
import { submitText } from '../setup/jobs/voice-jobs.ts'
import { afterStatement } from '../setup/postgres/after-statement.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => service?.close())

test('a job that ends while doctor looks is in no finding', async () => {
  const ctx = service.runtime.as({ kind: 'system' })
  const { key } = await service.createCaller()
  const jobId = await submitText(service.url, key, 'tts', 'Here and gone.', 'aria')
  await ctx.db.pool.query(`update job set created_at = now() - interval '2 minutes' where id = $1`, [jobId])
  const search = /from job where status in \('queued', 'processing'\)/
  const { db, count } = afterStatement(ctx.db, search, () => cancelJob(ctx, { jobId }))
  expect(await bookCheck.run({ ...ctx, db })).toEqual([expect.objectContaining({ severity: 'ok' })])
  expect(count(search)).toBe(1)
  const { rows } = await ctx.db.pool.query('select status, error_code from job where id = $1', [jobId])
  expect(rows).toEqual([{ status: 'failed', error_code: 'JOB_CANCELLED' }])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertJob } from '../setup/jobs/jobs.ts'
import { read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

test('a job says how many of its attempts workers released', async () => {
  const { account, key } = await service.createCaller()
  const { db } = service.runtime
  for (const [attempt, releases] of [
    [0, 0],
    [1, 0],
    [4, 2],
  ]) {
    const id = await insertJob(db, account)
    await db.pool.query('update job set attempt = $2, hand_backs = $3 where id = $1', [id, attempt, releases])
    const { job } = await read<{ job: object }>(service.url, key, `{ job(jobId: "${id}") { attempts releases } }`)
    expect(job).toEqual({ attempts: attempt, releases })
  }
})

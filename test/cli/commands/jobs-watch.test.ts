import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { endJob } from '../../../src/jobs/lifecycle/end-jobs.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { endCommands, startCommand } from '../../setup/processes/command.ts'
import { cleanUp, run } from '../../setup/processes/process.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

let service: TestRuntime
let env: Record<string, string>
beforeAll(async () => {
  service = await startTestRuntime()
  env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
})
afterAll(async () => {
  endCommands()
  await service.close()
  await cleanUp()
})

const watch = (...args: string[]) => startCommand([process.execPath, 'bin/sonant.js', 'jobs', 'watch', ...args], env)
const documents = (printed: string) =>
  printed
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('sonant jobs watch', () => {
  test.concurrent('prints the states of a job until it has completed, and exits with 0', async () => {
    const accountId = await service.createAccount()
    const jobId = await insertJob(service.runtime.db, accountId, { status: 'processing' })
    const watching = watch(jobId)
    await watching.said(`${jobId}  processing\n`)
    await endJob(service.runtime, { accountId, jobId })
    expect([await watching.ended(), watching.stderr()]).toEqual([0, ''])
    expect(watching.stdout()).toBe(`${jobId}  processing\n${jobId}  completed\n`)
  })

  test.concurrent('prints one document a line with --json, and exits with 1 where the job fails', async () => {
    const accountId = await service.createAccount()
    const jobId = await insertJob(service.runtime.db, accountId, { status: 'queued' })
    const watching = watch(jobId, '--json')
    await watching.said('"queued"')
    await cancelJob(service.runtime.as({ kind: 'system' }), { jobId })
    expect([await watching.ended(), watching.stderr()]).toEqual([1, ''])
    const common = { job_id: jobId, created_at: expect.stringMatching(/Z$/) }
    expect(documents(watching.stdout())).toEqual([
      { ...common, status: 'queued', completed_at: null, error_code: null },
      { ...common, status: 'failed', completed_at: expect.stringMatching(/Z$/), error_code: 'JOB_CANCELLED' },
    ])
  })

  test.concurrent("prints how an account's jobs change until Ctrl-C, and nothing of another account's", async () => {
    const [accountId, otherId] = await Promise.all([service.createAccount(), service.createAccount()])
    const jobs = [otherId, accountId, accountId].map((account) =>
      insertJob(service.runtime.db, account, { status: 'processing' }),
    )
    const [other, ...own] = await Promise.all(jobs)
    const watching = watch('--account', accountId)
    for (const jobId of own) await watching.said(`${jobId}  processing\n`)
    await endJob(service.runtime, { accountId: otherId, jobId: other! })
    for (const jobId of own) await endJob(service.runtime, { accountId, jobId })
    for (const jobId of own) await watching.said(`${jobId}  completed\n`)
    watching.killGroup('SIGINT')
    expect([await watching.ended(), watching.stderr()]).toEqual([0, ''])
    expect(watching.stdout()).not.toContain(other)
  })

  test.concurrent.each([
    [[], 'Give either a job id or --account.'],
    [['job_x'], 'No job with the id "job_x".'],
  ])('%s is an error', async (args, message) => {
    const { code, stdout, stderr } = await run(['jobs', 'watch', ...args], env)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(message)
  })
})

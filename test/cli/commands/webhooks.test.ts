import { afterAll, beforeAll, expect, test } from 'vitest'
import { runHere } from '../../setup/processes/command-here.ts'
import { cleanUp, sonantOn } from '../../setup/processes/process.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

let service: TestRuntime
let env: Record<string, string>
beforeAll(async () => {
  service = await startTestRuntime()
  env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
})
afterAll(async () => {
  await service.close()
  await cleanUp()
})

test.concurrent.each([
  [['--outcome', 'succeded'], '\n--outcome: must be one of succeeded, timeout, '],
  [['--job', 'job_x'], '\n--job: must be a job id'],
])('sonant webhooks deliveries %s is an error that says what is known', async (filter, violation) => {
  const account = await service.createAccount()
  const { code, stdout, stderr } = await runHere(['webhooks', 'deliveries', '--account', account, ...filter], env)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(violation)
})

test.concurrent('sonant webhooks deliveries takes an outcome that there is', async () => {
  const account = await service.createAccount()
  const list = (outcome: string) => sonantOn(env, 'webhooks', 'deliveries', '--account', account, '--outcome', outcome)
  expect(await list('interrupted')).toEqual({ items: [], deliveries: [], has_more: false })
})

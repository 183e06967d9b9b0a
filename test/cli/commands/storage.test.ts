import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePorts } from '../../setup/http.ts'
import { runHere, sonantHere } from '../../setup/processes/command-here.ts'
import { cleanUp, run } from '../../setup/processes/process.ts'
import { type S3Server, startS3Server } from '../../setup/servers/s3-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

let service: TestRuntime
let s3: S3Server
let env: Record<string, string>
let closedPort: number | undefined
beforeAll(async () => {
  s3 = await startS3Server()
  service = await startTestRuntime()
  env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
  ;[closedPort] = await freePorts(1)
})
afterAll(async () => {
  await service.close()
  await s3.close()
  await cleanUp()
})

const wrongBucket = () => ({ ...env, ...s3.env, STORAGE_URL: s3.storageUrl.replace('artifacts', 'absent') })
const wrongEndpoint = () => ({
  ...env,
  ...s3.env,
  STORAGE_URL: `s3://artifacts?endpoint=http://127.0.0.1:${closedPort}&region=x`,
})
const steps = (...names: string[]) => names.map((step) => ({ step, error: null }))

describe('sonant storage check', () => {
  test.concurrent('puts, reads, reads a part and deletes, on the disk and in a bucket', async () => {
    const [disk, bucket] = await Promise.all([
      sonantHere(env, 'storage', 'check'),
      sonantHere({ ...env, ...s3.env }, 'storage', 'check'),
    ])
    const checks = steps('reach', 'put', 'get', 'range', 'delete')
    expect(disk).toEqual({ storage: `${service.dataDir}/artifacts`, ok: true, checks })
    expect(bucket).toEqual({ storage: expect.stringContaining('/artifacts'), ok: true, checks })
  })

  test.concurrent.each([
    ['a bucket that is not there', wrongBucket, 'S3 answered 404 NoSuchBucket to GET.'],
    ['an endpoint where nothing listens', wrongEndpoint, 'S3 cannot be reached (ECONNREFUSED).'],
  ])('exits with 1 and the reason for %s', async (_what, environment, error) => {
    const { code, stdout } = await runHere(['storage', 'check', '--json'], environment())
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, checks: [{ step: 'reach', error }] })
  })
})

describe('a start', () => {
  test.concurrent.each([
    ['a wrong bucket', wrongBucket, 'NoSuchBucket'],
    ['a wrong endpoint', wrongEndpoint, 'ECONNREFUSED'],
  ])('is refused in one sentence with %s', async (_what, environment, reason) => {
    const { code, stdout, stderr } = await run(['serve'], { ...environment(), PORT: '0' })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      new RegExp(`^Sonant cannot start: the bucket of STORAGE_URL cannot be used: .*${reason}.*\\n$`),
    )
  })
})

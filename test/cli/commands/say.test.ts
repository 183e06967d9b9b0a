import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleanUp, makeTempDir, run } from '../../setup/process.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/runtime.ts'

const DEADLINE_MS = 90_000

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(async () => {
  await service.close()
  await cleanUp()
})

describe('sonant say', { timeout: DEADLINE_MS }, () => {
  test('tells a failed job by its own code and cause, and leaves no file', async () => {
    const account = await service.createAccount(1n)
    const dir = await makeTempDir()
    const args = ['say', 'Hello!', '--account', account, '-o', join(dir, 'unpaid.wav'), '--json']
    const { code, stdout } = await run(args, { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({ error: expect.stringContaining('balance'), error_code: 'CHARGE_FAILED' })
    expect(await readdir(dir)).toEqual([])
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../setup/graphql.ts'
import { insertJob } from '../setup/jobs.ts'
import { startTestRuntime, type TestRuntime } from '../setup/runtime.ts'

const FOLDER = new URL('../../examples/graphql/', import.meta.url)

let service: TestRuntime
let key: string
beforeAll(async () => {
  service = await startTestRuntime()
  const caller = await service.createCaller()
  key = caller.key
  await insertJob(service.runtime.db, caller.account, { status: 'failed' })
})
afterAll(() => service.close())

describe('the example', () => {
  test.each(readdirSync(FOLDER))('%s runs as it stands', async (file) => {
    const answer = await ask(service.url, key, readFileSync(new URL(file, FOLDER), 'utf8'), {
      from: new Date(Date.now() - 3_600_000).toISOString(),
    })
    expect(answer.errors).toBeUndefined()
    expect(JSON.stringify(answer.data)).toContain('FAILED"')
  })
})

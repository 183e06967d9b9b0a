import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../../src/values/id.ts'
import { call, freePorts } from '../../setup/http.ts'
import { lockJobs } from '../../setup/postgres/locked-table.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'
import { endProcesses, startRole } from '../../setup/processes/processes.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const POOL_SIZE = 4
/** Short work has these connections. */
const CONNECTIONS = 2
const REQUESTS = 6

let database: TestRuntime
beforeAll(async () => {
  database = await startTestRuntime()
})
afterAll(async () => {
  await endProcesses()
  await database.close()
  await cleanUp()
})

test('a process whose connections all wait for another program’s lock goes on showing systemd that it lives', async () => {
  const [bin, [port]] = await Promise.all([makeTempDir(), freePorts(1)])
  const notices = join(bin, 'notices')
  await writeFile(join(bin, 'systemd-notify'), '#!/bin/sh\necho "$*" >> "$NOTIFY_SOCKET"\n', { mode: 0o755 })
  const { databaseUrl } = database.runtime.settings
  const api = await startRole(['serve'], {
    ...{ DATABASE_URL: databaseUrl ?? '', DATABASE_POOL_SIZE: String(POOL_SIZE), DATA_DIR: database.dataDir },
    ...{ HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'silent' },
    ...{ PATH: `${bin}:${process.env.PATH}`, NOTIFY_SOCKET: notices, WATCHDOG_USEC: '900000' },
  })
  const url = `http://127.0.0.1:${port}`
  const signs = async () => (await readFile(notices, 'utf8').catch(() => '')).match(/WATCHDOG=1/g)?.length ?? 0
  const callers = await Promise.all(Array.from({ length: REQUESTS }, () => database.createCaller()))
  const table = await lockJobs(database.runtime)
  const answers = callers.map(({ key }) => call(`${url}/api/v1/jobs/${newId('job')}`, { key }))
  await table.waitedFor(CONNECTIONS)
  const before = await signs()
  await until(async () => (await signs()) > before + 4, TIMEOUT_MS, 'five more signs of life')
  expect((await call(`${url}/health/live`)).status).toBe(200)
  // One that was given up a moment ago is followed by another request's.
  await table.waitedFor(CONNECTIONS)
  await table.unlock()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses.filter((status) => status !== 404 && status !== 503)).toEqual([])
  expect(await api.stop()).toBe(0)
})

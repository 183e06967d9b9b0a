import { type ClientRequest, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../src/values/id.ts'
import { call } from '../setup/http.ts'
import { idAt, insertJob } from '../setup/jobs/jobs.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const EXPORT = '/api/v1/jobs/export?from=2026-01-01&to=2027-01-01'
const POLLING = { timeout: 60_000, interval: 10 }
/** A caller that has gone away may still cost this much on a busy machine: a statement that nothing ends takes ten seconds. */
const A_SECOND = { timeout: 5_000, interval: 10 }
/** More than a process has connections to the database. */
const CROWD = 25

let service: TestRuntime
let key: string
let locker: Client
let watcher: Client
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  const caller = await service.createCaller()
  key = caller.key
  await insertJob(service.runtime.db, caller.account, { id: idAt(new Date('2026-02-02')) })
  const connectionString = service.runtime.db.url
  ;[locker, watcher] = [new Client({ connectionString }), new Client({ connectionString })]
  await Promise.all([locker.connect(), watcher.connect()])
  // Noting the key's use is no part of a request, and would wait for the same locks.
  await watcher.query(`update api_key set last_used_at = now() + interval '1 day'`)
})
afterAll(async () => {
  await Promise.all([locker.end(), watcher.end()])
  await service.close()
})

const HERE = `datname = current_database() and application_name = 'sonant'`
const pidsOf = async (condition: string) =>
  (await watcher.query(`select pid from pg_stat_activity where ${HERE} and ${condition}`)).rows
const waiting = () => pidsOf(`state = 'active' and wait_event_type = 'Lock'`)
const transactions = () => pidsOf('xact_start is not null')
const connectionsInUse = () => service.runtime.db.pool.totalCount - service.runtime.db.pool.idleCount

function ask(path: string, headers: Record<string, string> = {}): ClientRequest {
  const sent = httpRequest(service.url + path, {
    headers: { ...headers, authorization: `Bearer ${key}` },
    agent: false,
  })
  sent.on('response', (response) => response.on('error', () => undefined).resume()).on('error', () => undefined)
  return sent.end()
}

async function whileLocked<T>(table: string, work: () => Promise<T>): Promise<T> {
  await locker.query(`begin; lock table ${table} in access exclusive mode`)
  try {
    return await work()
  } finally {
    await locker.query('rollback')
  }
}

test('a body that breaks off in what is no chunk is 400, and no failure in the log', async () => {
  const warned = vi.spyOn(service.runtime.log, 'warn')
  const { port, host } = new URL(service.url)
  const socket = connect(Number(port), '127.0.0.1')
  const headers = `Host: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked`
  socket.write(`POST /api/v1/voice/tts HTTP/1.1\r\n${headers}\r\n\r\nno chunk\r\n`)
  expect(String(Buffer.concat(await socket.toArray()))).toMatch(/^HTTP\/1.1 400 /)
  // Its key would have been looked up before this one's.
  expect((await call(`${service.url}/api/v1/jobs`, { key })).status).toBe(200)
  expect(warned.mock.calls).toEqual([])
  warned.mockRestore()
})

describe('a caller who hangs up frees the database within a second', () => {
  test.each([
    ['is let in', 'account', 'identity'],
    ['counts', 'job_count', 'identity'],
    ['counts', 'job_count', 'gzip'],
  ])('while an export %s (%s locked, %s)', async (_stage, table, encoding) => {
    await whileLocked(table, async () => {
      const sent = ask(EXPORT, { 'accept-encoding': encoding })
      await expect.poll(waiting, POLLING).toHaveLength(1)
      sent.destroy()
      await expect.poll(waiting, A_SECOND).toEqual([])
      await expect.poll(connectionsInUse, A_SECOND).toBe(0)
      expect(await transactions()).toEqual([])
    })
    expect((await call(service.url + EXPORT, { key })).text).toContain(',voice.tts,completed,')
  })

  test.each(['identity', 'gzip'])('while COPY has not begun to send (%s)', async (encoding) => {
    const names = new Client({ connectionString: service.runtime.db.url })
    await names.connect()
    // Letting a request in reads keys as well: they are locked once it counts.
    const sent = await whileLocked('job_count', async () => {
      const asked = ask(EXPORT, { 'accept-encoding': encoding })
      await expect.poll(waiting, POLLING).toHaveLength(1)
      await names.query('begin; lock table api_key in access exclusive mode')
      return asked
    })
    await expect.poll(() => pidsOf(`wait_event_type = 'Lock' and query like 'copy%'`), POLLING).toHaveLength(1)
    sent.destroy()
    await expect.poll(waiting, A_SECOND).toEqual([])
    await expect.poll(connectionsInUse, A_SECOND).toBe(0)
    expect(await transactions()).toEqual([])
    await names.end()
    await expect.poll(() => service.runtime.spill.bytes, POLLING).toBe(0)
    expect((await call(service.url + EXPORT, { key })).status).toBe(200)
  })

  test.each([
    '/api/v1/jobs',
    `/api/v1/jobs/${newId('job')}`,
    `/api/v1/voice/jobs/${newId('job')}`,
    '/api/v1/jobs?from=2026-01-01&status=queued,failed',
  ])('while %s is read', async (path) => {
    await whileLocked('job', async () => {
      const sent = ask(path)
      await expect.poll(waiting, POLLING).toHaveLength(1)
      sent.destroy()
      await expect.poll(waiting, A_SECOND).toEqual([])
      await expect.poll(connectionsInUse, A_SECOND).toBe(0)
    })
  })

  test('for all that it has asked over one connection', async () => {
    await whileLocked('job', async () => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => undefined)
      const asked = `GET /api/v1/jobs HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`
      socket.write(asked.repeat(3))
      await expect.poll(waiting, POLLING).toHaveLength(3)
      socket.destroy()
      await expect.poll(waiting, A_SECOND).toEqual([])
    })
  })

  test('although all connections that its account may use are taken by others who hung up', async () => {
    await whileLocked('job', async () => {
      const crowd = Array.from({ length: CROWD }, () => ask('/api/v1/jobs'))
      const { workShares } = service.runtime.db
      await expect.poll(waiting, POLLING).toHaveLength(workShares.perKey)
      for (const sent of crowd) sent.destroy()
      await expect.poll(waiting, A_SECOND).toEqual([])
      await expect.poll(connectionsInUse, A_SECOND).toBe(0)
    })
    expect((await call(`${service.url}/api/v1/jobs`, { key })).status).toBe(200)
  })
})

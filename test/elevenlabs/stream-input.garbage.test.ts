import { readdirSync } from 'node:fs'
import { queryObjects } from 'node:v8'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { inParallel } from '../../src/concurrency/in-parallel.ts'
import { LiveText } from '../../src/voice/open-text/live-text.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { seeded, sendGarbage } from '../setup/load/garbage.ts'
import { heapInUse } from '../setup/load/heap-growth.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { talk } from '../setup/service/talker.ts'
import { until } from '../setup/wait.ts'

const ROUNDS = 150
const AT_ONCE = 10
const TIMEOUT_MS = 30_000
const MOST_BYTES = 5_000_000

let server: SpeechServer
let service: TestRuntime
beforeAll(async () => {
  server = await startSpeechServer()
  service = await startTestRuntime({ worker: true, env: { LOG_LEVEL: 'fatal' } })
  await applyEndpoint(service.runtime, 'served', { base_url: server.url, max_in_flight: 4, retry_seconds: 1 })
})
afterAll(async () => {
  await service?.close()
  await server?.close()
})

const sockets = () =>
  new Promise<number>((resolve, reject) =>
    service.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
const descriptors = () => readdirSync('/proc/self/fd').length
const unfinished = async () => {
  const { rows } = await service.runtime.db.pool.query<{ n: number }>(
    `select count(*)::integer as n from job where status in ('queued', 'processing')`,
  )
  return rows[0]!.n
}

test('garbage leaves no job, socket, descriptor or memory behind, and a text is heard after it', async () => {
  const { key, account } = await service.createCaller(10_000_000n)
  const random = seeded(17)
  const send = async (rounds: number) => {
    await inParallel(Array.from({ length: rounds }), AT_ONCE, () =>
      sendGarbage(service.url, 'served:calm', key, random),
    )
    await until(async () => (await unfinished()) === 0, TIMEOUT_MS, 'the jobs to end')
    await until(async () => (await sockets()) === 0, TIMEOUT_MS, 'the sockets to be gone')
    server.calls.length = 0
  }
  await send(2 * ROUNDS)
  const [heap, files] = [heapInUse(), descriptors()]
  const left = () => [WebSocket, LiveText].map((kind) => Number(queryObjects(kind, { format: 'count' })))
  await send(ROUNDS)
  await until(() => left().every((count) => count === 0), TIMEOUT_MS, 'connections and texts to be gone from memory')
  await until(() => heapInUse() - heap < MOST_BYTES, TIMEOUT_MS, 'the memory to be free')
  await until(() => descriptors() <= files, TIMEOUT_MS, 'the descriptors to be closed')
  const { rows } = await service.runtime.db.pool.query('select held from account where id = $1', [account])
  expect(rows).toEqual([{ held: '0' }])
  const talker = await talk(service.url, 'served:calm/stream-input?output_format=pcm_16000', key)
  talker.send({ text: 'Still here. ' }, { text: '' })
  expect([await talker.closed, talker.spoken()]).toEqual([1000, 'Still here. '])
})

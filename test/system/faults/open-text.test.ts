import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '../../setup/audit/audit.ts'
import type { Process } from '../../setup/processes/processes.ts'
import { openWorkerFixture, type WorkerFixture } from '../../setup/scenarios/worker-fixture.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { talk } from '../../setup/service/talker.ts'
import { until } from '../../setup/wait.ts'

const POOL = 'spoken'
const FIRST = 'This is the first sentence. '
const SECOND = 'And this is the second one. '
const THIRD = 'The third comes last. '
const TIMEOUT_MS = 60_000

let fixture: WorkerFixture
let speech: SpeechServer
beforeAll(async () => {
  fixture = await openWorkerFixture()
  speech = await startSpeechServer()
  await fixture.applyEndpoint('spoken', { pool: POOL, base_url: speech.url, max_in_flight: 4, retry_seconds: 4 })
}, TIMEOUT_MS)
afterAll(async () => {
  await fixture?.close()
  await speech?.close()
})

test('a text that is written while its worker is killed is heard on from another one, once and whole', async () => {
  const first: Process = await fixture.startWorker(POOL)
  const talker = await talk(fixture.service.url, 'spoken:calm/stream-input?output_format=pcm_24000', fixture.key)
  talker.send({ text: FIRST })
  await talker.seen('the first sentence', () => talker.spoken() === FIRST)
  talker.send({ text: SECOND })
  await talker.seen('the second sentence', () => talker.spoken() === FIRST + SECOND)
  await first.stop('SIGKILL')
  await fixture.startWorker(POOL)
  talker.send({ text: THIRD }, { text: '' })
  expect(await talker.closed).toBe(1000)
  expect(talker.spoken()).toBe(FIRST + SECOND + THIRD)
  const job = async () => {
    const { rows } = await fixture.runtime.db.pool.query<Row>(
      `select j.id, j.status, j.attempt, j.cost::int as cost, a.duration_ms as ms from job j left join artifact a on a.job_id = j.id
       where j.account_id = $1`,
      [fixture.account],
    )
    return rows[0]!
  }
  await until(async () => (await job()).status === 'completed', TIMEOUT_MS, 'the end')
  const { id, attempt, cost, ms } = await job()
  expect(attempt).toBeGreaterThan(1)
  expect(cost).toBe((FIRST + SECOND + THIRD).length)
  expect(talker.audio().length / 2 / 24_000).toBeCloseTo(ms / 1000, 1)
  expect(await audit(fixture.runtime, [id])).toEqual([])
}, 120_000)

interface Row {
  readonly id: string
  readonly status: string
  readonly attempt: number
  readonly cost: number
  readonly ms: number
}

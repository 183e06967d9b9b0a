import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allFinished } from '../../setup/jobs/voice-jobs.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { openWorkerFixture, type WorkerFixture } from '../../setup/scenarios/worker-fixture.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const POOL = 'told'
/** Those that wait for a lock that somebody else holds on what is known of attempts. */
const WAITING = `
  select a.pid from pg_stat_activity a join pg_locks l on l.pid = a.pid
  where not l.granted and l.relation = 'webhook_attempt'::regclass and a.datname = current_database()`
/** Without the statement that takes back an attempt: a job's end begins it, is held up, and ends without it. */
const WRITING = `${WAITING} and a.query not like '%released%'`
const SNAPSHOT = `
  select id, timestamp::text, signature, body from webhook_delivery where job_id = $1`

describe('a worker that is killed around a webhook delivery', { timeout: 240_000 }, () => {
  let fixture: WorkerFixture
  let speech: SpeechServer
  beforeAll(async () => {
    fixture = await openWorkerFixture()
    speech = await startSpeechServer()
    await fixture.applyEndpoint('told', { pool: POOL, base_url: speech.url, max_in_flight: 4 })
  })
  afterAll(async () => {
    await fixture?.close()
    await speech?.close()
  })

  test('after committing and before sending: it is sent once, as it was created; after sending and before recording: again, the same bytes', async () => {
    const { pool } = fixture.runtime.db
    const asked = speech.calls.length
    const victim = await fixture.startWorker(POOL)
    const held: ServerResponse[] = []
    fixture.receiver.on('/webhooks', (response, _request, nth) => {
      if (nth === 1) held.push(response)
      else response.writeHead(204).end()
    })
    const [sent] = await fixture.submit('told', ['It came, and nobody knows.'])
    await until(() => held.length === 1, TIMEOUT_MS, 'the first webhook')

    // An attempt is noted before its first byte goes out, and again with its outcome: both wait now, and nothing else does.
    const lock = await pool.connect()
    await lock.query(BEGIN_HELD)
    await lock.query('lock table webhook_attempt in share mode')
    const [unsent] = await fixture.submit('told', ['It has not left yet.'])
    await allFinished(fixture.runtime, [unsent!])
    const waiting = async (query: string) => (await pool.query<{ pid: number }>(query)).rows
    await until(async () => (await waiting(WRITING)).length === 1, TIMEOUT_MS, 'the second webhook to begin')
    held[0]!.writeHead(204).end()
    await until(async () => (await waiting(WRITING)).length === 2, TIMEOUT_MS, 'the first webhook to be recorded')
    await victim.stop('SIGKILL')
    // PostgreSQL would carry out what the dead worker asked for once the lock is gone.
    for (const { pid } of await waiting(WAITING)) await pool.query('select pg_terminate_backend($1)', [pid])
    await lock.query('rollback')
    lock.release()
    expect(fixture.received(unsent!)).toEqual([])
    const snapshot = (await pool.query(SNAPSHOT, [unsent])).rows[0]

    await fixture.startWorker(POOL)
    expect(await fixture.auditAll([sent!, unsent!])).toEqual([])
    const [once, twice] = [fixture.received(unsent!), fixture.received(sent!)]
    expect(once).toHaveLength(1)
    const { headers, body } = once[0]!
    expect([headers['webhook-id'], headers['webhook-timestamp'], headers['webhook-signature'], body]).toEqual([
      snapshot.id,
      snapshot.timestamp,
      snapshot.signature,
      snapshot.body,
    ])
    expect(twice).toHaveLength(2)
    expect(speech.calls).toHaveLength(asked + 2)
  })
})

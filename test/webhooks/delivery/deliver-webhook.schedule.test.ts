import { createConnection, createServer } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { ConfigError } from '../../../src/context/config-error.ts'
import type { Resolver } from '../../../src/egress/resolver.ts'
import {
  ATTEMPT_TIMEOUT_MS,
  FRESH_SECONDS,
  LATEST_START_SECONDS,
} from '../../../src/webhooks/delivery/webhook-delivery.ts'
import { type Certificates, testCertificates } from '../../setup/servers/certificates.ts'
import { type Receiver, startReceiver } from '../../setup/servers/receiver.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { createOwner, WEBHOOK_ENV } from '../../setup/service/webhooks.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 30_000
const TOLERANCE_SECONDS = 300
/** Each of the three steps of a slow attempt: one alone would be in time. */
const SLOW_STEP_MS = 4000
/** How long after an attempt its record may be written here. */
const SLACK_SECONDS = 15

let certificates: Certificates
let receiver: Receiver

beforeAll(async () => {
  certificates = testCertificates()
  receiver = await startReceiver(certificates.good)
})
afterAll(async () => {
  await receiver?.close()
})

async function withService(env: Record<string, string>, work: (service: TestRuntime) => Promise<void>, how?: Resolver) {
  const service = await startTestRuntime({ webhooks: how ?? true, env: { EGRESS_ALLOW: '127.0.0.0/8', ...env } })
  try {
    await work(service)
  } finally {
    await service.close()
  }
}

function acceptedDelays(text: string): readonly number[] | null {
  try {
    return readSettings({ WEBHOOK_RETRY_DELAYS: text }).webhookRetryDelays
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}

describe('the schedule', () => {
  test('with any delays that are accepted, the last attempt ends while a verifier still takes it', () => {
    const seconds = ATTEMPT_TIMEOUT_MS / 1000
    const total = (delays: readonly number[]) => delays.reduce((sum, delay) => sum + delay + seconds, 0)
    const delay = fc.oneof(fc.integer({ min: 0, max: 999 }), fc.constantFrom(0.5, 59.999, 75, 150, 180))
    fc.assert(
      fc.property(fc.array(delay, { minLength: 1, maxLength: 3 }), (delays) => {
        const accepted = acceptedDelays(delays.join(','))
        if (accepted === null) return total(delays) > LATEST_START_SECONDS - FRESH_SECONDS
        return accepted.join() === delays.join() && total(accepted) <= LATEST_START_SECONDS
      }),
    )
    expect(LATEST_START_SECONDS + seconds).toBeLessThan(TOLERANCE_SECONDS)
    // Unless configured otherwise there is room for the wait before the first as well.
    expect(readSettings({}).webhookRetryDelays).toEqual([5, 25, 75])
    expect(FRESH_SECONDS + total([5, 25, 75])).toBeLessThan(LATEST_START_SECONDS)
  })

  test('is 5, 25 and 75 s after the attempt before, unless configured otherwise, and ends with the fourth', async () => {
    await withService({}, async (service) => {
      const sql = (text: string, ...values: unknown[]) => service.runtime.db.pool.query(text, values)
      receiver.on('/default', (response) => response.writeHead(503).end())
      const owner = await createOwner(service, `${receiver.url}/default`)
      const id = await owner.sendTest()
      for (const [index, delay] of [5, 25, 75].entries()) {
        const recorded = async () => {
          const { rows } = await sql(
            `select extract(epoch from d.next_attempt_at - a.started_at)::float8 - a.duration_ms / 1000.0 as wait,
               extract(epoch from q.start_after - d.next_attempt_at)::float8 as skew
             from webhook_delivery d join webhook_attempt a on a.delivery_id = d.id and a.number = d.attempt
             join pgboss.job q on q.data->>'jobId' = d.id and q.state = 'created' where d.id = $1 and a.outcome = 'status_503'
               and a.number = $2`,
            id,
            index + 1,
          )
          return rows[0] as { wait: number; skew: number } | undefined
        }
        const { wait, skew } = (await until(recorded, TIMEOUT_MS, `attempt ${index + 1}`))!
        expect(wait).toBeGreaterThanOrEqual(delay - 0.01)
        expect(wait).toBeLessThan(delay + SLACK_SECONDS)
        expect(Math.abs(skew)).toBeLessThan(1)
        expect(receiver.received('/default')).toHaveLength(index + 1)
        // As if the time had passed.
        await sql(`update webhook_delivery set next_attempt_at = now() where id = $1`, id)
        await sql(`update pgboss.job set start_after = now() where data->>'jobId' = $1 and state = 'created'`, id)
      }
      expect(await owner.outcomeOf(id)).toMatchObject({ state: 'failed', nextAttemptAt: null })
      expect(receiver.received('/default')).toHaveLength(4)
      const { rows } = await sql(
        `select from pgboss.job where data->>'jobId' = $1 and state in ('created', 'retry')`,
        id,
      )
      expect(rows).toEqual([])
    })
  })

  test('as configured is kept: no attempt comes before its time', async () => {
    await withService({ WEBHOOK_RETRY_DELAYS: '0.3,0.6,0.9' }, async (service) => {
      receiver.on('/short', (response) => response.writeHead(500).end())
      const owner = await createOwner(service, `${receiver.url}/short`)
      await owner.outcomeOf(await owner.sendTest())
      const times = receiver.received('/short').map((request) => request.at)
      const gaps = times.slice(1).map((time, index) => time - times[index]!)
      expect(gaps.map((gap, index) => gap >= [300, 600, 900][index]! - 5)).toEqual([true, true, true])
    })
  })
})

describe('an attempt', () => {
  test('ends after 10 s although neither name server, handshake nor answer alone took that long', async () => {
    const slow: Resolver = {
      resolve: () => new Promise((resolve) => setTimeout(() => resolve(['127.0.0.1']), SLOW_STEP_MS)),
    }
    const door = createServer((socket) => {
      const pass = () => {
        const onward = createConnection(receiver.port, '127.0.0.1').on('error', () => socket.destroy())
        socket.pipe(onward).pipe(socket)
      }
      setTimeout(pass, SLOW_STEP_MS)
      socket.on('error', () => undefined)
    })
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
    const { port } = door.address() as { port: number }
    receiver.on('/slow', (response) => void setTimeout(() => response.writeHead(204).end(), SLOW_STEP_MS))
    try {
      await withService(
        { ...WEBHOOK_ENV, SHUTDOWN_SECONDS: '0' },
        async (service) => {
          const owner = await createOwner(service, `https://slow.hooks.test:${port}/slow`)
          const id = await owner.sendTest()
          const first = async () => {
            const [attempt] = (await owner.delivery(id)).attempts
            return attempt?.outcome ? attempt : undefined
          }
          const attempt = (await until(first, TIMEOUT_MS, 'the first attempt to end'))!
          expect(attempt).toMatchObject({ number: 1, outcome: 'timeout', responseStatus: null })
          expect(attempt.durationMs).toBeGreaterThanOrEqual(ATTEMPT_TIMEOUT_MS - 50)
          expect(attempt.durationMs).toBeLessThan(ATTEMPT_TIMEOUT_MS + 8000)
        },
        slow,
      )
    } finally {
      door.close()
    }
  })
})

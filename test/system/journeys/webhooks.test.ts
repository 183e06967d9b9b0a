import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startWebhookWorker } from '../../../src/webhooks/delivery/start-webhook-worker.ts'
import { call } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { runHere, sonantHere } from '../../setup/processes/command-here.ts'
import { cleanUp, makeTempDir, run, type Service, startService } from '../../setup/processes/process.ts'
import { type Certificates, testCertificates } from '../../setup/servers/certificates.ts'
import { type Receiver, signedBytes, startReceiver } from '../../setup/servers/receiver.ts'
import { startTestRuntime } from '../../setup/service/runtime.ts'
import { createOwner, WEBHOOK_ENV } from '../../setup/service/webhooks.ts'
import { until } from '../../setup/wait.ts'

// Starts, kills and recoveries of second processes, each of which takes seconds.
const DEADLINE_MS = 120_000
const RECOVERY_MS = 60_000

interface Delivery {
  delivery_id: string
  job_id: string
  state: string
  outcome: string
  attempts: { number: number; outcome: string }[]
}

let certificates: Certificates
let receiver: Receiver
let service: Service
let env: Record<string, string>

beforeAll(async () => {
  certificates = testCertificates()
  receiver = await startReceiver(certificates.good)
  env = {
    EGRESS_ALLOW: '127.0.0.0/8',
    WEBHOOK_RETRY_DELAYS: '2,2,2',
    NODE_EXTRA_CA_CERTS: certificates.caFile,
    RATE_LIMIT_PER_MINUTE: '0',
  }
  service = await startService({ env })
}, DEADLINE_MS)
// A test that is tried again counts its own requests.
beforeEach(() => receiver.forget())
afterAll(async () => {
  await cleanUp()
  await receiver?.close()
})

const submit = async (path: string): Promise<string> => {
  const body = { inputs: { text: 'Hi', voice: 'aria', language: 'English' }, webhook_url: receiver.url + path }
  const reply = await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key: service.key, body })
  expect(reply.status).toBe(202)
  return reply.json<{ job_id: string }>().job_id
}

const restart = async (): Promise<void> => {
  service = { ...(await startService({ env, dataDir: service.dataDir, port: service.port })), key: service.key }
}

const deliveryOf = async (jobId: string): Promise<Delivery> => {
  const args = ['webhooks', 'deliveries', '--account', 'demo', '--job', jobId] as const
  const { items, deliveries } = await sonantHere<{ items: object[]; deliveries: Delivery[] }>(service.env, ...args)
  expect(items).toEqual(deliveries)
  expect(deliveries).toHaveLength(1)
  return deliveries[0]!
}

describe('webhooks of a second process', { timeout: DEADLINE_MS }, () => {
  test('the command line sets the URL, rotates, lists, redelivers and verifies', async () => {
    const url = `${receiver.url}/cli`
    const set = await sonantHere(service.env, 'webhooks', 'set-url', '--account', 'demo', url)
    expect(set).toEqual({ account_id: expect.stringMatching(/^acct_/), webhook_url: url })
    const { secret } = await sonantHere<{ secret: string }>(service.env, 'webhooks', 'rotate', '--account', 'demo')
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const body = { inputs: { text: 'Hi', voice: 'aria', language: 'English' } }
    await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key: service.key, body })
    const [request] = await receiver.waitFor('/cli')
    const headers = request!.headers as Record<string, string>
    expect(new Webhook(secret).verify(request!.body.toString(), headers)).toMatchObject({ status: 'completed' })

    const capture = join(await makeTempDir(), 'capture.txt')
    const head = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => `${name}: ${headers[name]}\r\n`)
    await writeFile(capture, Buffer.concat([Buffer.from(`${head.join('')}\r\n`), request!.body]))
    const verified = await sonantHere(service.env, 'webhooks', 'verify', capture, '--secret', secret)
    expect(verified).toMatchObject({ valid: true, problems: [], webhook_id: headers['webhook-id'] })
    const wrong = await run(['webhooks', 'verify', capture, '--secret', `whsec_${'A'.repeat(43)}=`, '--json'], {})
    expect([wrong.code, JSON.parse(wrong.stdout).valid]).toEqual([1, false])

    const id = headers['webhook-id']!
    await until(
      async () => (await deliveryOf(JSON.parse(request!.body.toString()).job_id)).state === 'succeeded',
      60_000,
      'it',
    )
    expect(await sonantHere(service.env, 'webhooks', 'redeliver', id)).toEqual({ delivery_id: id, queued: true })
    const [, again] = await receiver.waitFor('/cli', 2)
    expect(again!.headers['webhook-id']).toBe(id)
    const cleared = await sonantHere(service.env, 'webhooks', 'set-url', '--account', 'demo', '--clear')
    expect(cleared).toMatchObject({ webhook_url: null })
    const listed = (await run(['webhooks', 'deliveries', '--account', 'demo', '--first', '1'], service.env)).stdout
    const [heads, row] = listed.split('\n')
    expect(heads).toMatch(/^DELIVERY +JOB +CREATED \(UTC\) +STATE +OUTCOME +ATTEMPTS +URL$/)
    expect(row).toMatch(new RegExp(`^${id}  job_\\w+  \\S+Z  (pending|succeeded) +\\S+ +[12]  ${url}$`))
    const unknown = await runHere(['webhooks', 'redeliver', 'msg_x'], service.env)
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('No delivery with the id "msg_x".')])
    const inside = ['webhooks', 'set-url', '--account', 'demo', 'https://10.0.0.1/', '--json']
    const refused = await runHere(inside, service.env)
    expect([refused.code, JSON.parse(refused.stdout).error_code]).toEqual([1, 'INVALID_REQUEST'])
  })

  test('after kill -9 in the middle of an attempt and between two attempts, the rest is byte-identical', async () => {
    receiver.on('/during', (response, _request, nth) => nth > 1 && response.writeHead(204).end())
    receiver.on('/between', (response, _request, nth) => response.writeHead(nth === 1 ? 503 : 204).end())
    receiver.on('/after', (response) => response.writeHead(204).end())
    const [during, between] = await Promise.all(['/during', '/between'].map(submit))
    await Promise.all([receiver.waitFor('/during'), receiver.waitFor('/between')])
    const after = await submit('/after')
    await receiver.waitFor('/after')
    // Chance decides if the answer was written down before the kill: either is right.
    await service.kill9()
    await restart()
    await receiver.waitFor('/during', 2, RECOVERY_MS)
    await receiver.waitFor('/between', 2, RECOVERY_MS)
    for (const jobId of [during, between, after] as string[]) {
      await until(async () => (await deliveryOf(jobId)).state === 'succeeded', RECOVERY_MS, `${jobId} to be delivered`)
    }
    for (const path of ['/during', '/between', '/after']) {
      expect(new Set(receiver.received(path).map(signedBytes)).size, path).toBe(1)
      expect(receiver.received(path).length, path).toBeLessThanOrEqual(2)
    }
    expect((await deliveryOf(during!)).attempts.map(({ outcome }) => outcome)).toEqual(['interrupted', 'succeeded'])
  })

  test('SECRET_KEY is changed without a gap: the old one opens until rekey has run, and then is not needed', async () => {
    const { secret } = await sonantHere<{ secret: string }>(service.env, 'webhooks', 'rotate', '--account', 'demo')
    await service.stop()
    const renewed = { ...env, SECRET_KEY: 'n'.repeat(40), OLD_SECRET_KEY_FILE: join(service.dataDir, 'secret.key') }
    const { key, dataDir, port } = service
    const delivers = async (path: string, settings: Record<string, string>) => {
      service = { ...(await startService({ env: settings, dataDir, port })), key }
      await finishedJob(service.url, key, await submit(path))
      const [request] = await receiver.waitFor(path)
      expect(new Webhook(secret).verify(request!.body.toString(), { ...request!.headers })).toBeTruthy()
    }
    await delivers('/old-key', renewed)
    expect(await sonantHere(service.env, 'secrets', 'rekey')).toMatchObject({ rekeyed: 2, current: 0, unreadable: 0 })
    expect(await sonantHere(service.env, 'secrets', 'rekey')).toMatchObject({ rekeyed: 0, current: 2, unreadable: 0 })
    await service.stop()
    await delivers('/new-key', { ...env, SECRET_KEY: 'n'.repeat(40) })
    expect((await run(['secrets', 'rekey', '--json'], service.env)).code).toBe(1)
  })
})

describe('a process that dies between the commit and the first attempt', () => {
  test('loses nothing: the next worker sends the bytes of the payload snapshot', { timeout: DEADLINE_MS }, async () => {
    const runtime = await startTestRuntime({ worker: true, env: WEBHOOK_ENV })
    try {
      const owner = await createOwner(runtime, `${receiver.url}/before`)
      const body = { inputs: { text: 'Hi', voice: 'aria', language: 'English' } }
      await call(`${runtime.url}/api/v1/voice/tts`, { method: 'POST', key: owner.key, body })
      const query = 'select signature, body from webhook_delivery where account_id = $1'
      const snapshot = () => runtime.runtime.db.pool.query(query, [owner.account])
      await until(async () => (await snapshot()).rowCount === 1, DEADLINE_MS, 'the delivery with its snapshot')
      const { signature, body: bytes } = (await snapshot()).rows[0]
      expect(receiver.received('/before')).toEqual([])
      const worker = await startWebhookWorker(runtime.runtime)
      const [request] = await receiver.waitFor('/before')
      expect([request!.headers['webhook-signature'], request!.body]).toEqual([signature, bytes])
      await worker.stop()
    } finally {
      await runtime.close()
    }
  })
})

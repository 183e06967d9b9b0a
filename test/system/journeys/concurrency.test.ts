import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../setup/http.ts'
import { finishedJob, type VoiceJob } from '../../setup/jobs/fixtures.ts'
import { creditsOf, makeAccount, makeKey } from '../../setup/processes/operator.ts'
import { cleanUp, type Service, startService } from '../../setup/processes/process.ts'
import { readWav } from '../../setup/speech/wav.ts'

const SUBMISSIONS = 200
const AFFORDED = 50
const TEXT = 'Twenty letters here.'
const REPLAYS = 20

type Accepted = { job_id: string; error_code?: string }

describe('concurrent submissions', { timeout: 120_000 }, () => {
  let service: Service
  let voice = ''

  /** A key of a new account with that many credits. */
  const createKey = async (account: string, credits: number) => {
    await makeAccount(service.env, account, credits)
    return (await makeKey(service.env, account)).apiKey
  }
  const credits = (account: string) => creditsOf(service.env, account)
  const submit = async (key: string, text = TEXT, headers: Record<string, string> = {}) => {
    const body = { inputs: { text, voice } }
    const reply = await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key, body, headers })
    const { job_id, error_code } = reply.json<Accepted>()
    return { ...reply, job_id, error_code }
  }
  const poll = async (key: string, id: string) =>
    (await call(`${service.url}/api/v1/voice/jobs/${id}`, { key })).json<VoiceJob>()
  const times = <T>(count: number, action: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => action(index)))

  beforeAll(async () => {
    service = await startService({ env: { RATE_LIMIT_PER_MINUTE: '0' } })
    const entry = await call(`${service.url}/api/v1/public/voice/tts`)
    voice = entry.json<{ voices: { slug: string }[] }>().voices[0]!.slug
  })
  afterAll(cleanUp)

  test('of 200 parallel submissions against credits for 50, exactly 50 run, and the balance ends at 0', async () => {
    const key = await createKey('crowd', AFFORDED * TEXT.length)
    const sent = await times(SUBMISSIONS, () => submit(key))
    const accepted = sent.filter((reply) => reply.status === 202)
    const unpaid = sent.filter((reply) => reply.status === 402)
    // A submission that comes after the balance has reached 0 is 402; one that comes before is CHARGE_FAILED.
    expect(accepted.length + unpaid.length).toBe(SUBMISSIONS)
    expect(new Set(accepted.map((reply) => reply.job_id)).size).toBe(accepted.length)

    const jobs = await Promise.all(accepted.map((reply) => finishedJob(service.url, key, reply.job_id)))
    const completed = jobs.filter((job) => job.status === 'completed')
    const failed = jobs.filter((job) => job.status === 'failed')
    expect(completed).toHaveLength(AFFORDED)
    expect(new Set(failed.map((job) => job.error_code))).toEqual(new Set(failed.length ? ['CHARGE_FAILED'] : []))
    for (const job of failed) expect(job).not.toHaveProperty('outputs')
    expect(await credits('crowd')).toBe(0)

    const audio = await Promise.all(completed.map((job) => call(job.outputs!.audio)))
    for (const { bytes } of audio) expect(readWav(bytes)).toMatchObject({ whole: true, bits: 16 })
    const later = await Promise.all(jobs.map((job) => poll(key, job.job_id)))
    const outcome = ({ status, completed_at, error_code }: VoiceJob) => ({ status, completed_at, error_code })
    expect(later.map(outcome)).toEqual(jobs.map(outcome))
  })

  test('the same idempotency key 20 times in parallel makes one job, charged once', async () => {
    const key = await createKey('twins', 10_000)
    const headers = { 'idempotency-key': 'order-1' }
    const sent = await times(REPLAYS, () => submit(key, TEXT, headers))
    const accepted = sent.filter((reply) => reply.status === 202)
    const waiting = sent.filter((reply) => reply.status === 409)
    expect(accepted.length + waiting.length).toBe(REPLAYS)
    expect(new Set(waiting.map((reply) => reply.error_code))).toEqual(
      new Set(waiting.length ? ['IDEMPOTENCY_IN_PROGRESS'] : []),
    )
    expect(new Set(accepted.map((reply) => reply.job_id)).size).toBe(1)
    expect(accepted.filter((reply) => reply.headers['idempotency-replayed'] === undefined)).toHaveLength(1)
    const replayed = accepted.filter((reply) => reply.headers['idempotency-replayed'] === 'true')
    expect(replayed).toHaveLength(accepted.length - 1)

    await finishedJob(service.url, key, accepted[0]!.job_id)
    const late = await submit(key, TEXT, headers)
    expect([late.status, late.text]).toEqual([202, accepted[0]!.text])
    expect(late.headers).toMatchObject({ 'idempotency-replayed': 'true', location: accepted[0]!.headers.location })
    expect(await credits('twins')).toBe(10_000 - TEXT.length)
  })

  test('the same idempotency key with another body is 422 and makes no job', async () => {
    const key = await createKey('changed', 10_000)
    const headers = { 'idempotency-key': 'order-1' }
    const first = await submit(key, 'One.', headers)
    const other = await submit(key, 'Another text.', headers)
    expect([other.status, other.error_code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
    expect(Object.keys(JSON.parse(other.text)).sort()).toEqual(['error', 'error_code'])
    await finishedJob(service.url, key, first.job_id)
    expect(await credits('changed')).toBe(10_000 - 'One.'.length)
  })

  test('an idempotency key belongs to its account, and all keys of the account share it', async () => {
    const [mine, foreign] = [await createKey('mine', 1_000), await createKey('foreign', 1_000)]
    const second = await makeKey(service.env, 'mine')
    const headers = { 'idempotency-key': 'order-1' }
    const sent = [
      await submit(mine, TEXT, headers),
      await submit(foreign, TEXT, headers),
      await submit(second.apiKey, TEXT, headers),
    ]
    const [first, other, shared] = sent.map((reply) => reply.job_id)
    expect(other).not.toBe(first)
    expect(shared).toBe(first)
  })
})

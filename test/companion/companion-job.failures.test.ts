import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePorts } from '../setup/http.ts'
import { chatAnswer, type Message, type Script, verdict } from '../setup/servers/provider-server.ts'
import { type Producers, type Reply, startProducers } from '../setup/service/producers.ts'

const CHAT = '/v1/chat/completions'
const MODERATIONS = '/v1/moderations'

const FAILURES: [string, string, Script, string][] = [
  ['chat says 429', CHAT, { status: 429 }, 'PROVIDER_BUSY'],
  ['chat says 500', CHAT, { status: 500 }, 'PROVIDER_UNAVAILABLE'],
  ['chat refuses the key', CHAT, { status: 401 }, 'PROVIDER_UNAVAILABLE'],
  ['chat rejects the request', CHAT, { status: 400 }, 'RENDER_FAILED'],
  ['chat rejects the request with NUL', CHAT, { status: 400, body: { error: { message: 'a\0b' } } }, 'RENDER_FAILED'],
  ['chat answers no JSON', CHAT, { body: '<html>' }, 'PROVIDER_UNAVAILABLE'],
  ['chat answers without choices', CHAT, { body: {} }, 'PROVIDER_UNAVAILABLE'],
  ['chat answers with nothing', CHAT, chatAnswer(''), 'PROVIDER_UNAVAILABLE'],
  ['chat answers without end', CHAT, { body: 'x'.repeat(2_000_000) }, 'PROVIDER_UNAVAILABLE'],
  ['chat breaks off', CHAT, { ...chatAnswer('half of it'), cut: true }, 'PROVIDER_UNAVAILABLE'],
  ['chat redirects', CHAT, { status: 302, headers: { location: '/' } }, 'PROVIDER_UNAVAILABLE'],
  ['chat never answers', CHAT, { hang: true }, 'JOB_TIMEOUT'],
  ['moderation says 429', MODERATIONS, { status: 429 }, 'PROVIDER_BUSY'],
  ['moderation says 500', MODERATIONS, { status: 500 }, 'PROVIDER_UNAVAILABLE'],
  ['moderation answers no JSON', MODERATIONS, { body: 'OK' }, 'PROVIDER_UNAVAILABLE'],
  ['moderation answers null', MODERATIONS, { body: 'null' }, 'PROVIDER_UNAVAILABLE'],
  ['moderation holds no results', MODERATIONS, { body: { results: [] } }, 'PROVIDER_UNAVAILABLE'],
  ['moderation holds no verdict', MODERATIONS, { body: { results: [{ flagged: 'no' }] } }, 'PROVIDER_UNAVAILABLE'],
  ['moderation breaks off', MODERATIONS, { ...verdict(false), cut: true }, 'PROVIDER_UNAVAILABLE'],
  ['moderation never answers', MODERATIONS, { hang: true }, 'JOB_TIMEOUT'],
]

type Failed = Reply<{ job_id: string; status: string; error: string; error_code: string }>

/** The caller's message in the request names the row by which the stand-in fails. */
const titleIn = (body: unknown): string => {
  const { input, messages } = body as { input?: string; messages?: Message[] }
  return input ?? messages?.at(-1)?.content ?? ''
}

describe('a companion whose servers fail', () => {
  let service: Producers
  const answers = new Map<string, Failed>()

  // All at once: each waits for retries or for the time limit.
  beforeAll(async () => {
    service = await startProducers(({ url }) => ({
      COMPANION_BASE_URL: url,
      MODERATION_BASE_URL: url,
      COMPANION_TIMEOUT_SECONDS: '12',
    }))
    for (const path of [CHAT, MODERATIONS]) {
      service.provider.script(path, ({ body }) => {
        const failure = FAILURES.find(([title, where]) => where === path && title === titleIn(body))
        return failure?.[2] ?? (path === CHAT ? chatAnswer('fine') : verdict(false))
      })
    }
    const key = await service.newKey()
    await Promise.all(
      FAILURES.map(async ([title]) => {
        answers.set(title, await service.send<Failed['body']>('/companion/chat', key, { message: title }))
      }),
    )
  })
  afterAll(() => service.close())

  it.each(FAILURES)('fails the job with 502 when %s, and lets nothing pass', async (title, path, _script, code) => {
    const { status, body } = answers.get(title) as Failed
    expect([status, body]).toEqual([
      502,
      {
        job_id: expect.stringMatching(/^job_/),
        status: 'failed',
        error: expect.stringMatching(/^.+\.$/),
        error_code: code,
      },
    ])
    const job = await service.job(body.job_id)
    expect(job).toMatchObject({ status: 'failed', error_code: code, is_prohibited: null, reason: null })
    for (const trace of ['companion_turn where chat_id = $1', 'companion_chat where id = $1'])
      expect(await service.query(`select from ${trace}`, [job.chat_id])).toEqual([])
    const reachedTheModel = service.provider.of(CHAT).some((one) => titleIn(one.body) === title)
    expect(reachedTheModel).toBe(path === CHAT)
  })

  it('fails the job when no server listens where moderation should be, and logs so once that is recorded', async () => {
    const [port] = await freePorts(1)
    const other = await startProducers(() => ({ MODERATION_BASE_URL: `http://127.0.0.1:${port}` }))
    const recorded: Promise<unknown[]>[] = []
    vi.spyOn(other.runtime.log, 'warn').mockImplementation((line: unknown, what?: unknown) => {
      const { jobId } = line as { jobId?: string }
      if (what === 'a job failed') recorded.push(other.query('select status from job where id = $1', [jobId]))
    })
    const { status, body } = await other.send('/companion/chat', await other.newKey(), { message: 'Hello.' })
    expect([status, body.error_code]).toEqual([502, 'PROVIDER_UNAVAILABLE'])
    expect(await Promise.all(recorded)).toEqual([[{ status: 'failed' }]])
    await other.close()
  })
})

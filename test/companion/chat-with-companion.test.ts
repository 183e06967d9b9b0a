import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chatAnswer, type Message, verdict } from '../setup/servers/provider-server.ts'
import { errorOf, REFUSED } from '../setup/service/graphql.ts'
import { type Producers, startProducers } from '../setup/service/producers.ts'

interface Chat {
  job_id: string
  status: string
  is_prohibited: boolean
  chat_id: string
  reply: string | null
}

const CHAT = '/v1/chat/completions'
const MODERATIONS = '/v1/moderations'
const JOB_ID = /^job_[0-7][0-9a-hjkmnp-tv-z]{25}$/
const CHAT_ID = /^chat_[0-7][0-9a-hjkmnp-tv-z]{25}$/

let service: Producers
let key: string
beforeAll(async () => {
  service = await startProducers(({ url }) => ({
    COMPANION_BASE_URL: `${url}/v1`,
    COMPANION_MODEL: 'small',
    COMPANION_API_KEY: 'companion-secret',
    MODERATION_BASE_URL: url,
    MODERATION_API_KEY: 'moderation-secret',
  }))
  key = await service.newKey()
})
afterAll(() => service.close())
beforeEach(() => service.provider.reset())

const say = <T = Chat>(body: unknown, bearer: string | null = key, headers = {}) =>
  service.send<T>('/companion/chat', bearer, body, headers)
const sentMessages = () =>
  service.provider.of(CHAT).map(({ body }) => (body as { messages: Message[] }).messages.map(({ content }) => content))

describe('chatWithCompanion', () => {
  it('answers with the reply and the job that it recorded, which costs nothing', async () => {
    const poor = await service.newKey(undefined, 0n)
    const { status, body, headers } = await say({ message: 'Hello.' }, poor)
    expect([status, body]).toEqual([
      200,
      {
        job_id: expect.stringMatching(JOB_ID),
        status: 'completed',
        is_prohibited: false,
        chat_id: expect.stringMatching(CHAT_ID),
        reply: 'echo: Hello.',
      },
    ])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(await service.job(body.job_id)).toMatchObject({
      type: 'companion_chat',
      endpoint_key: 'chat.companion',
      status: 'completed',
      is_prohibited: false,
      reason: null,
      chat_id: body.chat_id,
      error_code: null,
      cost: '0',
    })
  })

  it('keeps nothing of the message with the job', async () => {
    const { body } = await say({ message: 'a very private remark' })
    expect(JSON.stringify(await service.job(body.job_id))).not.toContain('private')
  })

  it('calls both servers with their keys and the configured model', async () => {
    await say({ message: 'Hello.' })
    const [chat] = service.provider.of(CHAT)
    expect(chat?.headers.authorization).toBe('Bearer companion-secret')
    expect(chat?.body).toMatchObject({ model: 'small', stream: false, messages: [{ role: 'user', content: 'Hello.' }] })
    const judged = service.provider.of(MODERATIONS)
    expect(judged.map(({ body }) => (body as { input: unknown }).input)).toEqual(['Hello.', 'echo: Hello.'])
    expect(judged[0]?.headers.authorization).toBe('Bearer moderation-secret')
  })

  it('continues a chat with its last 40 messages, and no more', async () => {
    const first = await say({ message: 'message 1' })
    const chat_id = first.body.chat_id
    for (let number = 2; number <= 22; number++)
      expect((await say({ chat_id, message: `message ${number}` })).status).toBe(200)
    const last = sentMessages().at(-1) ?? []
    expect(last).toHaveLength(41)
    expect(last.slice(0, 3)).toEqual(['message 2', 'echo: message 2', 'message 3'])
    expect(last.slice(-2)).toEqual(['echo: message 21', 'message 22'])
    const kept = await service.query('select from companion_turn where chat_id = $1', [chat_id])
    expect(kept).toHaveLength(40)
  })

  it('leaves the oldest messages out where they are too long together', async () => {
    service.provider.script(CHAT, chatAnswer('ok'))
    const { body } = await say({ message: '1'.repeat(8000) })
    for (const digit of ['2', '3', '4']) await say({ chat_id: body.chat_id, message: digit.repeat(8000) })
    const last = sentMessages().at(-1) ?? []
    expect(last.map(([first]) => first)).toEqual(['2', 'o', '3', 'o', '4'])
  })

  it('keeps two exchanges of one chat at once whole', async () => {
    const { body } = await say({ message: 'start' })
    const { chat_id } = body
    await Promise.all(['a', 'b', 'c'].map((message) => say({ chat_id, message })))
    const rows = await service.query<{ role: string; content: string }>(
      'select role, content from companion_turn where chat_id = $1 order by position',
      [chat_id],
    )
    expect(rows.map(({ role }) => role)).toEqual(Array.from({ length: 4 }, () => ['user', 'assistant']).flat())
    for (let at = 0; at < 8; at += 2) expect(rows[at + 1]?.content).toBe(`echo: ${rows[at]?.content}`)
  })

  it("answers another account's chat_id like one that never was", async () => {
    const { body } = await say({ message: 'mine' })
    const other = await service.newKey()
    const before = await service.countJobs()
    const answers = [
      await say({ chat_id: body.chat_id, message: 'yours?' }, other),
      await say({ chat_id: 'chat_01m1g5x9q4fy8t4gq3k5zr2n7c', message: 'hi' }, other),
      await say({ chat_id: 'nonsense', message: 'hi' }, other),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
    expect(await service.countJobs()).toBe(before)
  })

  it('rejects a message that moderation flags, before the model sees it, and forgets it', async () => {
    const { body: begun } = await say({ message: 'start' })
    service.provider.reset()
    service.provider.script(MODERATIONS, verdict(true, { violence: true, hate: false, 'self-harm/intent': true }))
    const { status, body } = await say({ chat_id: begun.chat_id, message: 'flagged words' })
    expect([status, body]).toEqual([
      200,
      {
        job_id: expect.stringMatching(JOB_ID),
        status: 'completed',
        is_prohibited: true,
        chat_id: begun.chat_id,
        reply: null,
      },
    ])
    expect(service.provider.of(CHAT)).toEqual([])
    expect(await service.job(body.job_id)).toMatchObject({
      status: 'completed',
      is_prohibited: true,
      reason: 'The message was flagged for violence, self-harm/intent.',
    })
    service.provider.reset()
    await say({ chat_id: begun.chat_id, message: 'go on' })
    expect(sentMessages()).toEqual([['start', 'echo: start', 'go on']])
  })

  it('rejects a reply that moderation flags', async () => {
    service.provider.script(MODERATIONS, ({ body }) =>
      verdict(String((body as { input: string }).input).startsWith('echo')),
    )
    const { body } = await say({ message: 'innocent' })
    expect(body).toMatchObject({ is_prohibited: true, reply: null })
    expect((await service.job(body.job_id)).reason).toBe('The reply was flagged.')
  })

  it('hears nothing of what the model thought, and neither do its moderator and the chat', async () => {
    service.provider.script(CHAT, chatAnswer('<think>A secret.</think>\n\nAloud.'))
    const { body } = await say({ message: 'Hello.' })
    expect(body.reply).toBe('Aloud.')
    expect(JSON.stringify(service.provider.of(MODERATIONS).map((sent) => sent.body))).not.toContain('secret')
    await say({ chat_id: body.chat_id, message: 'More.' })
    expect(sentMessages().at(-1)).toEqual(['Hello.', 'Aloud.', 'More.'])
    service.provider.script(CHAT, chatAnswer('<think>It never ends'))
    expect(await say({ message: 'Hello.' })).toMatchObject({
      status: 502,
      body: { error_code: 'PROVIDER_UNAVAILABLE' },
    })
  })

  it('asks again where a server was busy for a moment', async () => {
    let calls = 0
    service.provider.script(CHAT, () => (++calls === 1 ? { status: 503 } : chatAnswer('at last')))
    expect((await say({ message: 'Hello.' })).body.reply).toBe('at last')
  })

  it.each<[string, unknown, string]>([
    ['no message', {}, '/message'],
    ['an empty message', { message: '' }, '/message'],
    ['a blank message', { message: ' \n\u00a0' }, '/message'],
    ['a message of 8001 characters', { message: 'x'.repeat(8001) }, '/message'],
    ['a message that is a number', { message: 1 }, '/message'],
    ['a chat_id that is null', { chat_id: null, message: 'Hi.' }, '/chat_id'],
    ['an unknown key', { message: 'Hi.', model: 'large' }, '/model'],
    ['NUL', '{"message":"a\\u0000"}', '/message'],
  ])('refuses %s, says where, and records nothing', async (_title, given, path) => {
    const before = await service.countJobs()
    const { status, body } = await say<{ error_code: string; details: { path: string }[] }>(given)
    expect([status, body.error_code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.details.map((detail) => detail.path)).toContain(path)
    expect(await service.countJobs()).toBe(before)
    expect(service.provider.received).toEqual([])
  })

  it('takes 8000 characters beyond the basic plane', async () => {
    expect((await say({ message: '𝄞'.repeat(8000) })).status).toBe(200)
  })

  it('refuses keys without its scope before the body is read', async () => {
    const plain = await service.newKey(['generate:voice', 'job:read', 'companion:retarget'])
    expect((await say('{', plain)).status).toBe(403)
    expect((await say('{', null)).status).toBe(401)
  })

  it('is the same through GraphQL', async () => {
    const text = `mutation($m: String!, $c: ID) { chatWithCompanion(message: $m, chatId: $c) {
      ... on CompanionChatAnswer { jobId status isProhibited chatId reply error errorCode replayed } ${REFUSED} } }`
    const first = await service.graphql<{ chatWithCompanion: Record<string, string> }>(key, text, { m: 'Hello.' })
    expect(first.data.chatWithCompanion).toEqual({
      jobId: expect.stringMatching(JOB_ID),
      status: 'COMPLETED',
      isProhibited: false,
      chatId: expect.stringMatching(CHAT_ID),
      reply: 'echo: Hello.',
      error: null,
      errorCode: null,
      replayed: false,
    })
    service.provider.script(CHAT, { status: 422 })
    const next = await service.graphql<typeof first.data>(key, text, { m: 'x', c: first.data.chatWithCompanion.chatId })
    expect(next.data.chatWithCompanion).toMatchObject({ status: 'FAILED', errorCode: 'RENDER_FAILED', reply: null })
    const wrong = await service.graphql(key, text, { m: 'x'.repeat(8001) })
    expect(errorOf(wrong)?.code).toBe('INVALID_REQUEST')
  })
})

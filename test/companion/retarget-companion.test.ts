import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Message, verdict } from '../setup/servers/provider-server.ts'
import { type Producers, startProducers } from '../setup/service/producers.ts'

let service: Producers
let key: string
beforeAll(async () => {
  service = await startProducers(({ url }) => ({ COMPANION_BASE_URL: url, MODERATION_BASE_URL: url }))
  key = await service.newKey()
})
afterAll(() => service.close())
beforeEach(() => service.provider.reset())

const newChat = async () =>
  (await service.send<{ chat_id: string }>('/companion/chat', key, { message: 'start' })).body.chat_id
const retarget = (body: unknown, bearer = key) =>
  service.send<{ job_id: string; error_code: string }>('/companion/retarget', bearer, body)
const systemPrompts = async (chat_id: string) => {
  await service.send('/companion/chat', key, { chat_id, message: 'who are you?' })
  const last = service.provider.of('/v1/chat/completions').at(-1)?.body as { messages: Message[] }
  return last.messages.filter(({ role }) => role === 'system').map(({ content }) => content)
}

describe('retargetCompanion', () => {
  it('gives the chat a persona that is the system prompt from the next message on', async () => {
    const chat_id = await newChat()
    expect(await systemPrompts(chat_id)).toEqual([])
    const { status, body } = await retarget({ chat_id, persona: 'You are a pirate.' })
    expect([status, body]).toEqual([
      200,
      { job_id: expect.stringMatching(/^job_/), status: 'completed', is_prohibited: false, chat_id },
    ])
    expect(await systemPrompts(chat_id)).toEqual(['You are a pirate.'])
    await retarget({ chat_id, persona: 'You are a poet.' })
    expect(await systemPrompts(chat_id)).toEqual(['You are a poet.'])
    expect(await service.job(body.job_id)).toMatchObject({
      type: 'companion_retarget',
      endpoint_key: 'chat.companion_retarget',
      status: 'completed',
      is_prohibited: false,
      chat_id,
    })
  })

  it('leaves the persona as it is when moderation rejects another', async () => {
    const chat_id = await newChat()
    await retarget({ chat_id, persona: 'You are a pirate.' })
    service.provider.script('/v1/moderations', verdict(true, { illicit: true }))
    const { status, body } = await retarget({ chat_id, persona: 'You are a criminal.' })
    expect([status, body]).toMatchObject([200, { status: 'completed', is_prohibited: true, chat_id }])
    expect((await service.job(body.job_id)).reason).toBe('The persona was flagged for illicit.')
    service.provider.reset()
    expect(await systemPrompts(chat_id)).toEqual(['You are a pirate.'])
  })

  it('fails with 502 and changes nothing when moderation cannot be reached', async () => {
    const chat_id = await newChat()
    service.provider.script('/v1/moderations', { status: 500 })
    const { status, body } = await retarget({ chat_id, persona: 'You are a pirate.' })
    expect([status, body]).toMatchObject([502, { status: 'failed', error_code: 'PROVIDER_UNAVAILABLE' }])
    service.provider.reset()
    expect(await systemPrompts(chat_id)).toEqual([])
  })

  it("answers another account's chat like a missing one, and a key without the scope with 403", async () => {
    const chat_id = await newChat()
    const other = await service.newKey()
    const foreign = await retarget({ chat_id, persona: 'Mine.' }, other)
    const missing = await retarget({ chat_id: 'chat_01m1g5x9q4fy8t4gq3k5zr2n7c', persona: 'Mine.' }, other)
    expect([foreign.status, foreign.body]).toEqual([404, missing.body])
    expect((await retarget('{', await service.newKey(['companion:chat']))).status).toBe(403)
    expect(await systemPrompts(chat_id)).toEqual([])
  })

  it.each([
    [{ persona: 'x' }],
    [{ chat_id: 'x' }],
    [{ chat_id: 'x', persona: '' }],
    [{ chat_id: 'x', persona: 'x'.repeat(4001) }],
    [{ chat_id: 'x', persona: 'x', name: 'y' }],
  ])('refuses %j with 400', async (body) => {
    expect((await retarget(body)).body.error_code).toBe('INVALID_REQUEST')
  })

  it('is the same through GraphQL', async () => {
    const chat_id = await newChat()
    const text =
      'mutation($c: ID!, $p: String!) { retargetCompanion(chatId: $c, persona: $p) { ... on CompanionRetargetAnswer { status isProhibited chatId } } }'
    const { data } = await service.graphql(key, text, { c: chat_id, p: 'You are a cook.' })
    expect(data).toEqual({ retargetCompanion: { status: 'COMPLETED', isProhibited: false, chatId: chat_id } })
    expect(await systemPrompts(chat_id)).toEqual(['You are a cook.'])
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeWav } from '../../../src/audio/wav.ts'
import { call } from '../../setup/http.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { type SignedInUser, type Users, usersOf } from '../../setup/service/users.ts'
import { sweep } from '../../setup/speech/sound.ts'

const TONE = writeWav(sweep(2, 16_000).samples, 16_000)
const QUERY = '{ accountVoices { id name durationMs sampleUrl } }'

let service: TestRuntime
let users: Users
let member: SignedInUser
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
  member = await users.user()
})
afterAll(() => service.close())

const upload = (headers: Record<string, string>, fields: Record<string, string> = {}) => {
  const form = new FormData()
  for (const [name, value] of Object.entries({ name: 'Host', consent: 'My own.', ...fields })) form.append(name, value)
  form.append('audio_sample', new Blob([Uint8Array.from(TONE)]), 'sample.wav')
  return fetch(`${service.url}/console/voices`, { method: 'POST', headers, body: form })
}
const ours = (user: SignedInUser) => ({ cookie: user.cookie, origin: service.url })
const voicesOf = async ({ cookie }: SignedInUser) => {
  const headers = { cookie, origin: service.url }
  const answer = await call(`${service.url}/graphql`, { method: 'POST', headers, body: { query: QUERY } })
  return answer.json<{ data: { accountVoices: { id: string; name: string; sampleUrl: string }[] } }>().data
    .accountVoices
}

describe('/console/voices', () => {
  test("takes a user's recording, which the account alone lists and hears", async () => {
    const answer = await upload(ours(member))
    expect([answer.status, await answer.json()]).toEqual([201, expect.objectContaining({ name: 'Host' })])
    const [voice, ...others] = await voicesOf(member)
    expect([voice, others]).toEqual([expect.objectContaining({ name: 'Host', durationMs: 2000 }), []])
    const sample = await call(String(voice?.sampleUrl))
    expect([sample.status, sample.headers['content-type'], sample.bytes.toString('latin1', 0, 4)]).toEqual([
      200,
      'audio/wav',
      'RIFF',
    ])
    expect(await voicesOf(await users.user())).toEqual([])
  })

  test('says by name what is wrong with a form', async () => {
    const answer = await upload(ours(member), { name: 'Host', consent: ' ', language: 'Klingon' })
    const { details } = (await answer.json()) as { details: { path: string }[] }
    expect([answer.status, details.map(({ path }) => path)]).toEqual([400, ['consent', 'language']])
    const empty = await fetch(`${service.url}/console/voices`, { method: 'POST', headers: ours(member) })
    expect(empty.status).toBe(415)
  })

  test('refuses whatever no page of this service sends with a session', async () => {
    const { apiKey } = await service.createKey(member.account, ['voice:library'])
    const refused: Record<string, string>[] = [
      { cookie: member.cookie },
      { cookie: member.cookie, origin: 'https://elsewhere.example' },
      { origin: service.url },
      { authorization: `Bearer ${apiKey}` },
    ]
    const answers = await Promise.all(refused.map((headers) => upload(headers)))
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 401, 401])
    expect((await voicesOf(member)).length).toBe(1)
  })
})

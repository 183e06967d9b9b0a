import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { call } from '../setup/http.ts'
import { insertVoice } from '../setup/jobs/library.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const ENGINE = { kind: 'openai-speech', base_url: 'http://127.0.0.1:9', model: 'm' }

let service: TestRuntime
let key = ''
let voices: string[] = []
beforeAll(async () => {
  service = await startTestRuntime()
  for (const slug of ['clone', 'second', 'third'])
    await applyEndpoint(service.runtime, slug, ENGINE, { library_voices: true, markup: 'ssml' })
  // Without credits a request ends behind all of its look-ups.
  const caller = await service.createCaller(0n)
  key = caller.key
  voices = await Promise.all([1, 2, 3, 4].map(() => insertVoice(service.runtime.db, caller.account)))
})
afterAll(() => service?.close())

/** An answer, and how many statements for it read the library. */
async function answered(path: string, body?: object) {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    const headers = { 'xi-api-key': key, authorization: `Bearer ${key}` }
    const reply = await call(service.url + path, { headers, ...(body && { method: 'POST', body }) })
    const texts = query.mock.calls.map(([statement]: unknown[]) => (statement as { text?: string }).text ?? '')
    return { reply, reads: texts.filter((text) => text.includes('FROM "public"."account_voice"')).length }
  } finally {
    query.mockRestore()
  }
}

test.each(['/v1/voices', '/v2/voices?page_size=100', '/v1/audio/voices'])(
  '%s reads the library once, whichever endpoints speak like it',
  async (path) => {
    const { reply, reads } = await answered(path)
    for (const voice of voices) expect(reply.text).toContain(voice)
    expect(reads).toBe(1)
  },
)

const dialogue = (turns: readonly string[]) =>
  answered('/v1/text-to-dialogue', { inputs: turns.map((voice_id) => ({ text: 'Hello.', voice_id })) })

test('a dialogue reads the library as often for many voices and turns as for one', async () => {
  const one = await dialogue(voices.slice(0, 1))
  expect(one.reads).toBeGreaterThan(0)
  const many = await dialogue([...voices, voices[0]!])
  for (const { reply } of [one, many]) expect(reply.json()).toMatchObject({ detail: { status: 'quota_exceeded' } })
  expect(many.reads).toBe(one.reads)
})

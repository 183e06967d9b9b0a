import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, codeOf, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const QUERY =
  'query ($text: String!, $slug: String, $voice: String) { textLanguage(text: $text, slug: $slug, voice: $voice) }'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

test('the language of a text is that which it is spoken in, for keys that may speak', async () => {
  const account = await service.createAccount()
  const { apiKey: key } = await service.createKey(account)
  const languageOf = async (text: string, by: object = {}) =>
    (await read<{ textLanguage: string | null }>(service.url, key, QUERY, { text, ...by })).textLanguage
  expect([
    await languageOf('Guten Morgen! Wie geht es dir?'),
    await languageOf('おはようございます。'),
    await languageOf('1, 2, 3'),
    await languageOf('Come here.', { slug: 'tts', voice: 'aria' }),
  ]).toEqual(['German', 'Japanese', null, 'English'])
  const { apiKey: reader } = await service.createKey(account, ['job:read'])
  expect(codeOf(await ask(service.url, reader, QUERY, { text: 'Hello' }))).toBe('FORBIDDEN')
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, codeOf, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const QUERY = 'query ($text: String!) { textLanguage(text: $text) }'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

test('the language of a text is that which it is spoken in, for keys that may speak', async () => {
  const account = await service.createAccount()
  const { apiKey: key } = await service.createKey(account)
  const languageOf = async (text: string) =>
    (await read<{ textLanguage: string | null }>(service.url, key, QUERY, { text })).textLanguage
  expect([
    await languageOf('Guten Morgen! Wie geht es dir?'),
    await languageOf('おはようございます。'),
    await languageOf('1, 2, 3'),
  ]).toEqual(['German', 'Japanese', null])
  const { apiKey: reader } = await service.createKey(account, ['job:read'])
  expect(codeOf(await ask(service.url, reader, QUERY, { text: 'Hello' }))).toBe('FORBIDDEN')
})

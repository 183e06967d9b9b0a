import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { endpointOf, filledIn, namesKey, type Reader, withAddress } from '../../../src/console/help/fill-in.ts'

const READER: Reader = {
  service: 'https://speech.example.org/tts-service',
  account: 'Lighthouse',
  apiKey: 'snt_own',
  endpoint: { slug: 'tts', voices: ['aria'] },
}
const CURL = `curl "$API/voice/tts" -H "Authorization: Bearer $KEY" -d '{"inputs":{"text":"tts","voice":"aria"}}'`

test('a sample has the reader’s own address, account and key, whatever language it is in', () => {
  expect(filledIn(CURL, READER)).toBe(
    `curl "https://speech.example.org/tts-service/api/v1/voice/tts" -H "Authorization: Bearer snt_own" -d '{"inputs":{"text":"tts","voice":"aria"}}'`,
  )
  expect(
    filledIn(
      `new OpenAI({ baseURL: 'http://127.0.0.1:4000/v1', apiKey: process.env.KEY, a: \`Bearer \${process.env.KEY}\` })`,
      READER,
    ),
  ).toBe("new OpenAI({ baseURL: 'https://speech.example.org/tts-service/v1', apiKey: 'snt_own', a: `Bearer snt_own` })")
  expect(filledIn('SONANT_KEY=snt_… node live.mjs ws://127.0.0.1:4000', READER)).toBe(
    'SONANT_KEY=snt_own node live.mjs wss://speech.example.org/tts-service',
  )
  expect(filledIn('npx sonant keys update "$KEY_ID" --account demo', READER)).toBe(
    'npx sonant keys update "$KEY_ID" --account Lighthouse',
  )
})

test('without a key the placeholder stays, and a sample tells if it has one', () => {
  expect(filledIn('Bearer $KEY', { ...READER, apiKey: null })).toBe('Bearer $KEY')
  expect(['Bearer $KEY', 'process.env.SONANT_KEY', 'snt_…', '$KEY_ID', 'KOKORO_KEY'].map(namesKey)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})

test('an endpoint and a voice that the reader lacks are those of the reader', () => {
  const other = { slug: 'news', voices: ['nora', 'miles'] }
  expect(filledIn('$API/voice/tts {"model": "tts", "voice": "aria"}', { ...READER, endpoint: other })).toBe(
    `${READER.service}/api/v1/voice/news {"model": "news", "voice": "nora"}`,
  )
  expect(filledIn(CURL, { ...READER, endpoint: null })).toContain('/voice/tts')
  expect(endpointOf([other, { slug: 'tts' }])?.slug).toBe('tts')
  expect([endpointOf([other])?.slug, endpointOf([])]).toEqual(['news', undefined])
})

test('prose has the address alone', () => {
  expect(withAddress('http://127.0.0.1:4000/v1 with $KEY', READER.service)).toBe(`${READER.service}/v1 with $KEY`)
})

test('no filled sample of the documents changes the reader’s own account', () => {
  const samples = globSync('docs/*.md').flatMap(
    (file) => readFileSync(file, 'utf8').match(/```\w+\n[\s\S]*?```/g) ?? [],
  )
  const own = samples.flatMap((sample) => filledIn(sample, READER).match(/sonant [^|\n]*--account Lighthouse/g) ?? [])
  expect(own.length).toBeGreaterThan(3)
  expect(own.filter((command) => command.startsWith('sonant accounts'))).toEqual([])
})

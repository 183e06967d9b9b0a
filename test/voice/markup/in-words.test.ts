import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { LANGUAGES } from '../../../src/engines/espeak/detect-language.ts'
import { read } from '../../../src/reading/read.ts'
import type { SpeechTimes } from '../../../src/voice/captions/voice-job-captions.ts'
import { replacementsOf } from '../../../src/voice/markup/in-words.ts'
import { listen } from '../../../src/voice/timing/sounding-clock.ts'
import { call } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { applyEndpoint, readJob, submitText } from '../../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { parseWav } from '../../setup/speech/parse-wav.ts'

const PRICE = 'The price will be $100 after 9:30PM.'
const IN_WORDS = 'The price will be one hundred dollars after nine thirty PM.'

const voice = (engine_voice: string, more: object = {}) => [{ slug: 'calm', name: 'Calm', engine_voice, ...more }]
const longInputs = {
  type: 'object',
  additionalProperties: false,
  required: ['text', 'voice'],
  properties: { text: { type: 'string' }, voice: { type: 'string' } },
}

let service: TestRuntime
let server: SpeechServer
let [key, account] = ['', '']
beforeAll(async () => {
  ;[service, server] = await Promise.all([startTestRuntime({ worker: true }), startSpeechServer()])
  const at = (profile: string) => ({ base_url: server.url, max_in_flight: 4, profile, retry_seconds: 1 })
  const ssml = { voices: voice('v', { language: 'English' }), markup: 'ssml' }
  await Promise.all([
    applyEndpoint(service.runtime, 'words', at('kokoro'), { inputs: longInputs }),
    applyEndpoint(service.runtime, 'raw', at('generic')),
    applyEndpoint(service.runtime, 'words-on', at('generic'), { text_normalization: 'on' }),
    applyEndpoint(service.runtime, 'raw-off', at('kokoro'), { text_normalization: 'off' }),
    applyEndpoint(service.runtime, 'as-auto', at('kokoro'), { text_normalization: 'auto' }),
    applyEndpoint(service.runtime, 'marked', at('kokoro'), ssml),
    applyEndpoint(service.runtime, 'marked-raw', at('generic'), ssml),
    applyEndpoint(service.runtime, 'british', at('kokoro'), { voices: voice('bf_emma') }),
    applyEndpoint(service.runtime, 'german', at('kokoro'), { voices: voice('v', { language: 'German' }) }),
    applyEndpoint(service.runtime, 'built-in', {}, { inputs: longInputs }),
  ])
  const caller = await service.createCaller()
  key = caller.key
  account = caller.account
})
beforeEach(() => {
  server.calls.length = 0
})
afterAll(async () => {
  await service?.close()
  await server?.close()
})

const spoken = async (slug: string, text: string): Promise<string> => {
  const id = await submitText(service.url, key, slug, text)
  expect(await finishedJob(service.url, key, id)).toMatchObject({ status: 'completed' })
  return id
}
/** What the server was asked to speak. */
const asked = () => server.calls.map(({ body }) => String(body.input).trim())
const askedFor = async (slug: string, text: string): Promise<string[]> => {
  server.calls.length = 0
  await spoken(slug, text)
  return asked()
}
const timesOf = async (id: string): Promise<SpeechTimes> =>
  (await call(`${service.url}/api/v1/voice/jobs/${id}/captions?format=json`, { key })).json<SpeechTimes>()
const vttOf = async (id: string): Promise<string> =>
  (await call(`${service.url}/api/v1/voice/jobs/${id}/captions?format=vtt`, { key })).text
const balance = async (): Promise<bigint> => {
  const { rows } = await service.runtime.db.pool.query<{ credits: string }>(
    'select credits from account where id = $1',
    [account],
  )
  return BigInt(rows[0]!.credits)
}

describe('a text', () => {
  test.each([
    ['words', IN_WORDS],
    ['as-auto', IN_WORDS],
    ['words-on', IN_WORDS],
    ['raw', PRICE],
    ['raw-off', PRICE],
  ])('reaches the server of %s as %j', async (slug, text) => {
    expect(await askedFor(slug, PRICE)).toEqual([text])
  })

  test('is read in the language of its voice, unless it shows another one', async () => {
    expect(await askedFor('german', 'Am 3. Mai')).toEqual(['Am dritten Mai'])
    expect(await askedFor('german', 'We are open from 9 to 5 and on the weekend as well, thank you.')).toEqual([
      'We are open from nine to five and on the weekend as well, thank you.',
    ])
    expect(await askedFor('german', '1,5')).toEqual(['eins Komma fünf'])
  })

  test('is read in the variety of English that the voice speaks', async () => {
    const text = 'The meeting is on 5/6/2026 and we are 105 people.'
    const [american] = await askedFor('words', text)
    const [british] = await askedFor('british', text)
    expect(american).toContain('May sixth')
    expect(british).toContain('of June')
  })

  test('is read between its markup, and what the markup says stays', async () => {
    const inner = '<s>On <sub alias="the 4th">7/4</sub> at 5 km.</s><s xml:lang="de">Am 3. Mai</s>'
    const parts = await askedFor('marked', `<speak>${inner} <say-as interpret-as="characters">B2</say-as></speak>`)
    expect(parts.sort()).toEqual(['Am dritten Mai', 'B two', 'On the 4th at five kilometers.'])
  })

  test.each(['marked', 'marked-raw'])('of %s says what its markup says, in words or not', async (slug) => {
    const asOf = (as: string, inner: string, more = '') => `<say-as interpret-as="${as}"${more}>${inner}</say-as>`
    const say = async (inner: string) => (await askedFor(slug, `<speak>${inner}</speak>`)).join(' ')
    expect(await say(`Take ${asOf('ordinal', '3')} of ${asOf('date', '3.5.', ' format="dm"')}.`)).toBe(
      'Take third of May third.',
    )
    expect(await say(`Code ${asOf('verbatim', 'a-7')} is ${asOf('cardinal', '2026')}.`)).toMatch(
      /^Code A dash seven {1,2}is two thousand twenty six\.$/,
    )
    expect(await say(`<lang xml:lang="de">am ${asOf('ordinal', '3')} Tag</lang>`)).toBe('am dritten Tag')
    expect(await say(asOf('date', '<sub alias="the 4th">7/4</sub>'))).toBe('the 4th')
    expect(await say(`<sub alias="1 of 2">${asOf('fraction', '1/2')}</sub>`)).toBe('1 of 2')
    const free = slug === 'marked' ? 'five kilometers' : '5 km'
    expect(await say(asOf('address', '5 km'))).toBe(free)
    expect(await say(asOf('ordinal', '5 km'))).toBe(free)
  })

  test('costs what was sent, and no word of it counts against the length', async () => {
    const digits = '9 '.repeat(200)
    for (const [text, slug] of [
      [PRICE, 'words'],
      ['1234567890123 '.repeat(20), 'built-in'],
      [digits, 'words'],
    ] as const) {
      const before = await balance()
      await spoken(slug, text)
      expect(before - (await balance())).toBe(BigInt(text.length))
    }
  })

  test('of many chunks is in words in each of them', async () => {
    const text = 'It costs $5, and we are open until 9:30PM. '.repeat(60).trim()
    const parts = await askedFor('words', text)
    expect(parts.length).toBeGreaterThan(6)
    expect(parts.every((part) => part.length <= 400 && !/\d/.test(part))).toBe(true)
  })
})

test('characters without words are named in the log of the worker', async () => {
  const warn = vi.spyOn(service.runtime.log, 'warn')
  await spoken('words', 'Done ⍝ — ⍲, $5, naïve 東京 Ω 😀.')
  await spoken('words', 'Nothing is missing: 5 → 6, ½ © ★ Привет.')
  const named = warn.mock.calls.flatMap(([about]) => (about as { characters?: string[] }).characters ?? [])
  warn.mockRestore()
  expect(named).toEqual(['U+235D', 'U+2372'])
})

test('entries of the lexicon come first, and nothing of an alias is read', async () => {
  const caller = await service.createKey(await service.createAccount(), ['generate:voice', 'voice:library', 'job:read'])
  const entries = [
    { grapheme: '$100', alias: '1 C-note' },
    { grapheme: 'km', alias: 'klicks' },
  ]
  const set = await call(`${service.url}/api/v1/lexicon`, { method: 'PUT', key: caller.apiKey, body: { entries } })
  expect([set.status, set.text]).toEqual([200, expect.any(String)])
  const id = await submitText(service.url, caller.apiKey, 'words', 'He paid $100 for 5 km.')
  await finishedJob(service.url, caller.apiKey, id)
  expect(asked()).toEqual(['He paid 1 C-note for five klicks.'])
})

describe('apply_text_normalization', () => {
  const speech = (model: string, more: object) =>
    call(`${service.url}/v1/audio/speech`, {
      method: 'POST',
      key,
      body: { model, input: PRICE, voice: 'calm', response_format: 'wav', ...more },
    })

  test.each([
    ['words', undefined, IN_WORDS],
    ['words', 'auto', IN_WORDS],
    ['words', 'off', PRICE],
    ['raw', 'on', IN_WORDS],
    ['raw', 'auto', PRICE],
    ['raw-off', 'on', IN_WORDS],
    ['words-on', 'off', PRICE],
  ])('asks %s for %s', async (model, choice, text) => {
    const { status } = await speech(model, choice === undefined ? {} : { apply_text_normalization: choice })
    expect([status, asked()]).toEqual([200, [text]])
  })

  test.each([['yes'], [true], [1]])('is no %j', async (choice) => {
    const reply = await speech('words', { apply_text_normalization: choice })
    expect([reply.status, reply.json<{ error: { param: string } }>().error.param]).toEqual([
      400,
      'apply_text_normalization',
    ])
  })

  test('is part of what a repeated request must have in common', async () => {
    const headers = { 'idempotency-key': 'normal-1' }
    const body = { model: 'words', input: PRICE, voice: 'calm', response_format: 'wav' }
    const send = (more: object) =>
      call(`${service.url}/v1/audio/speech`, { method: 'POST', key, headers, body: { ...body, ...more } })
    expect((await send({ apply_text_normalization: 'off' })).status).toBe(200)
    expect((await send({ apply_text_normalization: 'off' })).status).toBe(200)
    expect((await send({})).status).toBe(422)
    expect(server.calls.length).toBe(1)
  })
})

describe('times', () => {
  test.each(['built-in', 'words'])('of %s are those of the written words', async (slug) => {
    const { words, sentences } = await timesOf(await spoken(slug, PRICE))
    expect(words.map(({ text }) => text)).toEqual(['The', 'price', 'will', 'be', '$100', 'after', '9:30PM'])
    expect(sentences.map(({ text }) => text)).toEqual([PRICE])
    for (const [index, { start, end }] of words.entries()) {
      expect(end).toBeGreaterThan(start)
      expect(start).toBeGreaterThanOrEqual(words[index - 1]?.end ?? 0)
    }
    const seconds = Object.fromEntries(words.map(({ text, start, end }) => [text, end - start]))
    // "one hundred dollars" takes longer than "price".
    expect(seconds.$100!).toBeGreaterThan(2 * seconds.price!)
  })

  test('of words that are one number share its time', async () => {
    const text = 'Dr. Müller comes on May 5, 2026, at 9:30 PM on 11/28/2026.'
    const { words } = await timesOf(await spoken('built-in', text))
    expect(words.map(({ text: word }) => word.replace(/[.,]+$/, ''))).toEqual([
      'Dr',
      'Müller',
      'comes',
      'on',
      'May',
      '5',
      '2026',
      'at',
      '9:30',
      'PM',
      'on',
      '11/28/2026',
    ])
    for (const { start, end } of words) expect(end).toBeGreaterThan(start)
  })

  test('of a date that the markup names are those of the date as it is written', async () => {
    const date = '<say-as interpret-as="date" format="dmy">3.5.2026</say-as>'
    for (const slug of ['marked', 'marked-raw']) {
      const { words } = await timesOf(await spoken(slug, `<speak>Come on ${date}, please.</speak>`))
      expect(words.map(({ text }) => text.replace(/[,.]$/, ''))).toEqual(['Come', 'on', '3.5.2026', 'please'])
      expect(words[2]!.end - words[2]!.start).toBeGreaterThan(2 * (words[0]!.end - words[0]!.start))
    }
  })

  test('have no space around a word, in any script', async () => {
    const wordsOf = async (text: string) =>
      (await timesOf(await spoken('built-in', text))).words.map((word) => word.text)
    expect(await wordsOf('We are approx. 5 km from No. 7.')).toEqual('We are approx. 5 km from No. 7'.split(' '))
    expect((await wordsOf('他在2026年5月3日买了书，花了$25。')).join('')).toBe('他在2026年5月3日买了书花了$25')
  })

  test('are not cut at an abbreviation, and show what has no words', async () => {
    const text = 'Great 🎉🎉! Prof. J. Smith is at St. James St. 5.\n• He left at 5 p.m. Nobody knew 😀'
    const id = await spoken('built-in', text)
    const { sentences } = await timesOf(id)
    expect(sentences.map(({ text: sentence }) => sentence)).toEqual([
      'Great 🎉🎉!',
      'Prof. J. Smith is at St. James St. 5.',
      '• He left at 5 p.m.',
      'Nobody knew 😀',
    ])
    const shown = (await vttOf(id)).replace(/\s+/g, ' ')
    for (const part of ['Great 🎉🎉!', 'Prof. J. Smith', '• He', '😀']) expect(shown).toContain(part)
  })
})

describe('speech has no pause', () => {
  test.each([
    ['en-us', 'Dr. Miller and Mrs. Smith came to St. James Street on the 5th.'],
    ['en-us', 'Capt. Ray met Gen. Lee and Gov. Holm at Mt. Hood near Ft. Worth.'],
    ['en-gb-x-rp', 'Sen. Hill and Col. Ross and Ms. Reed and Sgt. Pike left.'],
    ['de', 'Am 5. Mai kommt Prof. Weber.'],
    ['de', 'Hr. Kunz zahlt z. B. 3 Mio. Euro am 3. Oktober.'],
    ['fr', 'M. Dupont arrive le 1er mai avec Mme Martin.'],
    ['es', 'La Sra. López y el Dr. Ruiz llegan el 3 de mayo.'],
    ['it', 'Il Sig. Rossi e il Dott. Bianchi arrivano il 3 maggio.'],
    ['pt-br', 'O Sr. Silva e a Sra. Costa chegam no dia 3 de maio.'],
    ['ru', 'Дом на ул. Ленина построен в 1905 г. рабочими.'],
    ['ru', 'Роман А. С. Пушкина вышел в 1833 г. в Москве.'],
    ['pt', 'O Prof. Dr. Costa mora na Av. da Liberdade.'],
    ['cmn', '他在2026年5月3日买了3本书'],
    ['ja', '田中さんは5月3日に3本買いました'],
    ['ko', '김 씨는 5월 3일에 책 3권을 샀다'],
  ])('over 200 ms within %s: %s', async (engineVoice, text) => {
    const slug = `pause-${engineVoice}-${text.length}`
    await applyEndpoint(service.runtime, slug, {}, { voices: voice(engineVoice) })
    const id = await spoken(slug, text)
    const wav = parseWav((await call((await readJob(service.url, key, id)).outputs!.audio)).bytes)
    const gaps = listen(wav).gaps.map(({ from, to }) => ((to - from) * 1000) / wav.sampleRate)
    expect(Math.max(0, ...gaps)).toBeLessThanOrEqual(200)
  })
})

test('the differences of a reading from its text make the reading, in each language', () => {
  const part = fc.constantFrom(
    ...'$1.50|5 km|Dr. |3. Mai|11/28/2026|ＡＢＣ|１２|5!a|😀|CO₂|• x|a@b.de|№5|，|。|第3章|2人|\n| |—|½ cup|x²|IV |Hallo|Привет|안녕 3개|日本'.split(
      '|',
    ),
    fc.sample(fc.string({ unit: 'grapheme' }), 1)[0]!,
  )
  const holds = fc.property(fc.array(part, { maxLength: 12 }), fc.constantFrom(...LANGUAGES), (parts, language) => {
    const text = parts.join('').normalize('NFC')
    const reading = read(text, language)
    let [made, at] = ['', 0]
    for (const { start, end, alias } of replacementsOf(text, reading)) {
      expect(start).toBeGreaterThanOrEqual(at)
      made += text.slice(at, start) + alias
      at = end
    }
    expect(made + text.slice(at)).toBe(reading.spoken)
  })
  fc.assert(holds, { numRuns: 500 })
})

import loadEspeak from '@echogarden/espeak-ng-emscripten'
import { describe, expect, test } from 'vitest'
import { checkPace, checkVoice } from '../../src/engines/check-voice.ts'
import type { Profile } from '../../src/engines/dialects.ts'
import { ESPEAK_NAMES } from '../../src/engines/espeak/espeak-voice.ts'

const VARIANTS_FOLDER = '/usr/share/espeak-ng-data/voices/!v'

describe('the names of the embedded engine', () => {
  test('are those that it accepts', async () => {
    const espeak = await loadEspeak()
    const worker = new espeak.eSpeakNGWorker()
    const accepts = (name: string) => {
      const bytes = Buffer.from(`${name}\0`)
      const pointer = espeak._malloc(bytes.length)
      espeak.HEAPU8.set(bytes, pointer)
      return worker.set_voice(pointer) === 0
    }
    expect([...ESPEAK_NAMES.languages].filter((name) => !accepts(name))).toEqual([])
    expect(ESPEAK_NAMES.languages.size).toBeGreaterThan(100)
    const variants = espeak.FS.readdir(VARIANTS_FOLDER).filter((name) => !name.startsWith('.'))
    expect([...ESPEAK_NAMES.variants].toSorted()).toEqual(variants.toSorted())
  })

  test.each(['en-us', 'en-us+f3', 'cmn+Mr serious', 'de+m7'])('make up the voice %s', (engineVoice) => {
    expect(checkVoice({ kind: 'espeak' }, { kind: 'preset', engineVoice })).toBeNull()
  })

  test('are no concern of other engines', () => {
    const server = { kind: 'openai-speech', profile: 'generic' } as const
    expect(checkVoice(server, { kind: 'reference', engineVoice: undefined })).toBeNull()
    expect(checkVoice(server, { kind: 'preset', engineVoice: 'nova' })).toBeNull()
  })
})

describe('an input of the pace', () => {
  const at = (profile: Profile, schema: unknown) => checkPace({ kind: 'openai-speech', profile }, schema)
  test.each<[Profile, unknown]>([
    ['kokoro', { type: 'number', minimum: 0.25, maximum: 4 }],
    ['speaches', { type: 'number', minimum: 0.5, maximum: 2 }],
    ['speaches', { type: 'number' }],
    ['generic', { type: 'number', minimum: 0.1, maximum: 10 }],
    ['nari', { type: 'number', minimum: 1, maximum: 1 }],
    ['nari', undefined],
  ])('that %s speaks is accepted: %j', (profile, schema) => {
    expect(at(profile, schema)).toBeNull()
  })

  test.each<[Profile, unknown, RegExp]>([
    ['kokoro', { type: 'number', minimum: 0.1, maximum: 4 }, /must lie within 0.25 to 4/],
    [
      'speaches',
      { type: 'number', minimum: 0.5, maximum: 3 },
      /must lie within 0.5 to 2, as servers of the kind speaches/,
    ],
    ['nari', { type: 'number', minimum: 0.5, maximum: 2 }, /must be left out: servers of the kind nari/],
    ['orpheus', true, /must be left out/],
  ])('that %s does not speak is refused: %j', (profile, schema, message) => {
    expect(at(profile, schema)).toMatch(message)
  })

  test('is no matter of an engine that stretches', () => {
    expect(checkPace({ kind: 'espeak' }, { minimum: 0.1, maximum: 9 })).toBeNull()
  })
})

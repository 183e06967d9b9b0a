import loadEspeak from '@echogarden/espeak-ng-emscripten'
import { describe, expect, test } from 'vitest'
import { checkVoice } from '../../src/engines/check-voice.ts'
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

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import loadEspeak from '@echogarden/espeak-ng-emscripten'
import { expect, test } from 'vitest'
import { asPackage, closeVoiceData, openVoiceData, readWhenOpened } from '../../../src/engines/espeak/voice-data.ts'

const DATA = createRequire(import.meta.url).resolve('@echogarden/espeak-ng-emscripten/espeak-ng.data')

test('a voice reads the files that it opens, each to its place, and no others', async () => {
  const data = openVoiceData()
  const espeak = await loadEspeak({ getPreloadedPackage: () => asPackage(data) })
  const memory = new Uint8Array(data.memory)
  const readBytes = () => memory.reduce((sum, byte) => sum + Math.min(byte, 1), 0)
  expect(readBytes()).toBe(0)
  readWhenOpened(espeak, data)

  const worker = new espeak.eSpeakNGWorker()
  const select = (name: string): number => {
    const pointer = espeak._malloc(name.length + 1)
    espeak.HEAPU8.set(Buffer.from(`${name}\0`), pointer)
    return worker.set_voice(pointer)
  }
  expect(select('en')).toBe(0)
  const english = readBytes()
  expect(select('de')).toBe(0)
  const both = readBytes()
  expect(select('en')).toBe(0)
  expect(english).toBeGreaterThan(0)
  expect(both).toBeGreaterThan(english)
  expect([readBytes(), both < 0.2 * memory.length]).toEqual([both, true])

  const file = readFileSync(DATA)
  expect(memory.every((byte, at) => byte === 0 || byte === file[at])).toBe(true)
  const dictionary = espeak.FS.open('/usr/share/espeak-ng-data/de_dict', 0).node.contents!
  const place = file.subarray(dictionary.byteOffset, dictionary.byteOffset + dictionary.length)
  expect(Buffer.compare(dictionary, place)).toBe(0)
  closeVoiceData(data)
})
